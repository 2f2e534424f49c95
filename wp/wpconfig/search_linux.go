package wpconfig

import "golang.org/x/sys/unix"

// searchOnly is a flag for opening a folder without a right to read it. Often a process may only pass through /home.
const searchOnly = unix.O_PATH
