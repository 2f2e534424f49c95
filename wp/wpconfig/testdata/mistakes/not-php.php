DB_NAME=shop
