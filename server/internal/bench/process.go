package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cost is what a process took, from its start to its end.
type cost struct {
	Seconds, Processor float64
	Peak               float64 // resident memory, bytes
}

// measured runs a command and prints its cost. It is a process of its own, because what the
// system counts as the peak of a child begins with the memory of its parent.
func measured(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system does not tell what a process used")
	}
	return json.NewEncoder(os.Stdout).Encode(cost{
		took, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(usage.Maxrss) * 1024,
	})
}

// measure runs a command to its end.
func (b *bench) measure(ctx context.Context, command ...string) (c cost, err error) {
	out, err := exec.CommandContext(ctx, b.self, append([]string{"measure"}, command...)...).Output()
	if err == nil {
		err = json.Unmarshal(out, &c)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w\n%s", command[0], err, exit.Stderr)
	}
	return c, err
}

// service is a process that serves on loopback.
type service struct {
	cmd     *exec.Cmd
	address string
	log     strings.Builder
}

// freeAddress is one that nobody listens at now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// serve starts a command that listens at address, and waits until it does.
func serve(address string, command ...string) (*service, error) {
	s := &service{cmd: exec.Command(command[0], command[1:]...), address: address}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for range 600 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return s, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("%s: %w\n%s", command[0], err, s.log.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
	s.stop()
	return nil, fmt.Errorf("%s does not listen\n%s", command[0], s.log.String())
}

func (s *service) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	for range 200 {
		if s.cmd.Process.Signal(syscall.Signal(0)) != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.cmd.Process.Kill()
}

// status returns a line of /proc/PID/status in bytes: VmRSS is resident memory, VmHWM its peak.
func (s *service) status(line string) float64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	_, rest, _ := strings.Cut(string(text), line+":")
	var kilobytes float64
	fmt.Sscan(rest, &kilobytes)
	return kilobytes * 1024
}

// processor is the time the process has used so far, in seconds, where the system's tick is 10 ms.
func (s *service) processor() float64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/stat")
	fields := strings.Fields(string(text)[strings.LastIndexByte(string(text), ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// daemon starts wpsitemapd on a site and waits until it serves its index.
func (b *bench) daemon(d *database, upstream string) (*service, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	if err := b.writeConfig(d, address, upstream); err != nil {
		return nil, err
	}
	s, err := serve(address, b.binary, "serve", "--config", d.config)
	if err != nil {
		return nil, err
	}
	for range 6000 {
		if status, _, err := s.get("/sitemap_index.xml"); err == nil && status == http.StatusOK {
			return s, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("wpsitemapd serves no index\n%s", s.log.String())
}
