package provision

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"wpsitemapd/wp"
)

// Machine holds the places of a machine's files and programs.
type Machine struct {
	Config         string   // path of the configuration
	Nginx, Apache  []string // the commands that control the web servers
	ApacheProgram  []string // the program Apache itself; the command may make folders before it runs the program
	Enmod, Dismod  string   // commands that switch Apache's modules on and off
	Systemd, Units string   // a folder that exists if systemd runs, and the folder of the administrator's units
	Sites          []string // folders below which sites usually are
	Sockets        []string // sockets of database servers, in folders of their packages
	State          string   // the folder for pages, if systemd makes none
}

// ThisMachine returns the layout that distributions use, with the configuration at a path.
func ThisMachine(path string) Machine {
	apache := []string{"apachectl"}
	program := apache
	if exists("/etc/apache2/envvars") { // Debian's apachectl reads this file, makes folders and runs the same command
		program = []string{"sh", "-c", `. /etc/apache2/envvars && exec apache2 "$@"`, "apache2"}
	}
	return Machine{
		Config: path, Nginx: []string{"nginx"}, Apache: apache, ApacheProgram: program, Enmod: "a2enmod", Dismod: "a2dismod",
		Systemd: "/run/systemd/system", Units: "/etc/systemd/system", Sites: []string{"/var/www", "/srv", "/usr/share/nginx/html", "/home/*"},
		Sockets: wp.DatabaseSockets, State: "/var/lib/wpsitemapd",
	}
}

// run runs a command and returns its output. An error holds the last lines of the output.
func (m *Machine) run(ctx context.Context, command ...string) (string, error) {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.Join(lines[max(0, len(lines)-2):], " "))
	}
	return string(out), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
