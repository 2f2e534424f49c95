<?php
return array(
	'name' => 'shop',
	'user' => 'clerk',
);
