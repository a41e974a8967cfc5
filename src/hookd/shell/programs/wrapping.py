"""Programs that run the command given to them as words."""

from __future__ import annotations

# Name: how many operands stand before the command, then marks: "root" it runs as another user,
# "env" NAME=value words may precede the command, "shell" functions and builtins still count, "remote", "container",
# "dashes" only what follows -- is a command, "code" the words are joined and run by a shell.
PREFIXES: dict[str, str] = {
    "sudo": "0 root env", "doas": "0 root", "pkexec": "0 root", "run0": "0 root", "gosu": "1", "su-exec": "1",
    "env": "0 env", "nice": "0", "ionice": "0", "chrt": "1", "taskset": "1", "numactl": "0", "nohup": "0",
    "time": "0 shell", "timeout": "1", "gtimeout": "1", "stdbuf": "0", "setsid": "0", "setarch": "0", "linux64": "0",
    "chroot": "1 container", "unshare": "0", "nsenter": "0 root", "strace": "0", "ltrace": "0", "valgrind": "0", "gdb": "0",
    "perf stat": "0", "perf record": "0", "watch": "0 code", "hyperfine": "0 code", "unbuffer": "0", "ts": "0", "catchsegv": "0",
    "command": "0", "builtin": "0 shell", "exec": "0", "coproc": "0 shell", "noglob": "0 shell", "nocorrect": "0 shell",
    "firejail": "0", "bwrap": "0", "proot": "0", "fakeroot": "0", "faketime": "1", "xvfb-run": "0", "dbus-run-session": "0",
    "dbus-launch": "0", "caffeinate": "0", "systemd-run": "0", "systemd-inhibit": "0", "capsh": "0", "setpriv": "0", "cpulimit": "0",
    "prlimit": "0", "rlwrap": "0", "torsocks": "0", "torify": "0", "proxychains": "0", "proxychains4": "0", "tini": "0",
    "dumb-init": "0", "chpst": "0", "envdir": "1", "sshpass": "0", "entr": "0", "eatmydata": "0", "aws-vault exec": "1 dashes",
    "npx": "0", "bunx": "0", "uvx": "0", "npm exec": "0", "npm x": "0", "pnpm exec": "0", "pnpm dlx": "0", "pnpx": "0",
    "yarn exec": "0", "yarn dlx": "0", "bun x": "0", "uv run": "0", "uv tool run": "0", "poetry run": "0", "pipenv run": "0", "pdm run": "0",
    "hatch run": "0", "rye run": "0", "pipx run": "0", "bundle exec": "0", "rbenv exec": "0", "pyenv exec": "0", "asdf exec": "0",
    "mise exec": "0 dashes", "mise x": "0 dashes", "direnv exec": "1", "conda run": "0", "mamba run": "0", "doppler run": "0 dashes",
    "op run": "0 dashes", "infisical run": "0 dashes", "dotenv run": "0", "dotenvx run": "0 dashes", "chamber exec": "0 dashes",
    "vault exec": "0 dashes", "teller run": "0 dashes", "sops exec-env": "1 code", "sops exec-file": "1 code",
    "nix-shell": "0 dashes", "nix develop": "0 dashes", "nix run": "0 dashes", "nix shell": "0 dashes", "distrobox enter": "0 dashes", "toolbox run": "0",
    "docker exec": "1 container", "docker run": "1 container", "docker create": "1 container", "docker container exec": "1 container",
    "docker container run": "1 container", "docker compose exec": "1 container", "docker compose run": "1 container",
    "docker-compose exec": "1 container", "docker-compose run": "1 container", "kubectl exec": "1 container", "oc exec": "1 container",
    "kubectl run": "1 container dashes", "kubectl debug": "1 container dashes", "oc rsh": "1 container", "lxc exec": "1 container", "incus exec": "1 container",
    "lxc-attach": "0 container dashes", "machinectl shell": "1 container", "systemd-nspawn": "0 container", "flatpak run": "1 container",
    "singularity exec": "1 container", "apptainer exec": "1 container", "vagrant ssh": "1 remote", "heroku run": "0 remote code",
    "fly ssh console": "0 remote", "flyctl ssh console": "0 remote", "railway run": "0", "gcloud compute ssh": "1 remote",
    "multipass exec": "1 remote dashes", "limactl shell": "1 remote", "adb shell": "0 remote code", "arch-chroot": "1 container",
    "wsl": "0 container", "start-stop-daemon": "0 dashes", "daemonize": "0", "chronic": "0", "ifne": "0", "logsave": "1",
    "cargo watch": "0 dashes", "lerna exec": "0 dashes", "turbo run": "99", "git bisect run": "0", "git submodule foreach": "0 code",
    "git for-each-repo": "99", "k9s": "99", "screen": "0", "tmux new-session": "0 code", "tmux new": "0 code", "tmux new-window": "0 code", "tmux neww": "0 code",
    "tmux split-window": "0 code", "tmux splitw": "0 code", "tmux run-shell": "0 code", "tmux run": "0 code", "tmux respawn-pane": "0 code",
    "tmux if-shell": "0 code", "tmux pipe-pane": "0 code",
}  # fmt: skip

SHELLS = frozenset("bash sh zsh dash ksh mksh ash fish rbash csh tcsh".split())
INTERPRETERS: dict[str, tuple[str, str]] = {
    # name: language, letters of the options whose value is code
    "python": ("python", "c"), "pypy": ("python", "c"), "ipython": ("python", "c"),
    "perl": ("perl", "eE"), "ruby": ("ruby", "e"), "node": ("javascript", "ep"), "nodejs": ("javascript", "ep"),
    "deno": ("javascript", ""), "bun": ("javascript", "ep"), "php": ("php", "rBRE"), "lua": ("lua", "e"), "Rscript": ("r", "e"),
    "osascript": ("applescript", "e"), "tclsh": ("tcl", ""), "awk": ("awk", ""),
}  # fmt: skip

CODE_VARIABLES = frozenset(
    "GIT_SSH_COMMAND GIT_SSH PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR LESSOPEN LESSCLOSE "
    "BROWSER PROMPT_COMMAND PS4 SSH_ASKPASS GIT_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF RSYNC_RSH "
    "CVS_RSH SUDO_EDITOR FCEDIT RUSTC_WRAPPER GIT_TRACE_SETUP SYSTEMD_EDITOR KUBE_EDITOR CRONTAB_EDITOR".split()
)
"""Variables whose value other programs run."""

GIT_CODE = frozenset(
    "core.sshcommand core.pager core.editor core.fsmonitor core.askpass core.gitproxy sequence.editor diff.external "
    "credential.helper gpg.program interactive.difffilter uploadpack.packobjectshook web.browser".split()
)
"""Settings of git whose value it runs; those of drivers and tools end in the words below."""
GIT_CODE_ENDINGS = (
    ".textconv",
    ".command",
    ".cmd",
    ".clean",
    ".smudge",
    ".process",
    ".driver",
    ".helper",
    ".editor",
)

OPTIONS: dict[str, str] = {
    "sudo": "+ askpass,A background,b close-from,C= chdir,D= preserve-env,E? edit,e group,g= set-home,H host,h= login,i remove-timestamp,K "
    "reset-timestamp,k list,l non-interactive,n preserve-groups,P prompt,p= chroot,R= role,r= stdin,S shell,s type,t= other-user,U= "
    "command-timeout,T= user,u= version,V validate,v",
    "doas": "+ user,u= config,C= non-interactive,n shell,s L a=", "pkexec": "+ user=", "run0": "+ user,u= group,g= chdir,D= setenv=",
    "su": "login,l command,c= group,g= shell,s= preserve-environment,p,m supp-group,G= whitelist-environment,w= fast,f session-command=",
    "runuser": "user,u= login,l command,c= group,g= shell,s= preserve-environment,p,m supp-group,G= whitelist-environment,w= session-command=",
    "env": "+ ignore-environment,i null,0 unset,u= chdir,C= split-string,S= debug,v block-signal? default-signal? ignore-signal?",
    "nice": "+ adjustment,n=", "ionice": "+ class,c= classdata,n= pid,p= ignore,t", "chrt": "+ a f r o i d m b p T= P= D=", "taskset": "+ all-tasks,a cpu-list,c pid,p",
    "numactl": "+ interleave,i= membind,m= cpunodebind,N= physcpubind,C= preferred,p= localalloc,l",
    "time": "+ portability,p append,a verbose,v output,o= format,f=", "timeout": "+ signal,s= kill-after,k= foreground,f preserve-status,p verbose,v",
    "stdbuf": "+ input,i= output,o= error,e=", "setsid": "+ ctty,c fork,f wait,w", "chroot": "+ userspec= groups= skip-chdir",
    "unshare": "+ mount,m? uts,u? ipc,i? net,n? pid,p? user,U? cgroup,C? time,T? fork,f map-root-user,r map-user= map-group= mount-proc? root,R= wd,w= setuid,S= setgid,G= propagation=",
    "nsenter": "+ all,a target,t= mount,m? uts,u? ipc,i? net,n? pid,p? user,U? cgroup,C? setuid,S= setgid,G= root,r? wd,w? no-fork,F",
    "strace": "+ f ff c C e= o= p= s= u= E= P= a= O= S= I= b= t r T v x y k q D", "ltrace": "+ f c e= o= p= s= u= n= a= l= x= S C i r t T",
    "valgrind": "+ tool= leak-check= log-file=", "gdb": "+ args batch,q ex= x= command,p= pid=", "perf": "@", "perf stat": "+ e= r= o= p= a d v", "perf record": "+ e= F= g o= p= a c=",
    "watch": "+ interval,n= differences,d? no-title,t beep,b errexit,e chgexit,g color,c exec,x precise,p no-wrap,w", "hyperfine": "runs,r= warmup,w= prepare,p= cleanup,c= setup,s= min-runs,m= max-runs,M= export-json= export-markdown= shell,S= ignore-failure,i show-output N style=",
    "command": "+ p v V", "exec": "+ c l a=", "xargs": "+ null,0 arg-file,a= delimiter,d= eof,E? replace,i? I= max-lines,L= l? max-args,n= interactive,p max-procs,P= no-run-if-empty,r max-chars,s= verbose,t exit,x open-tty,o J= R= S=",
    "parallel": "+ jobs,j= keep-order,k null,0 max-args,n= I= colsep,C= arg-file,a= dry-run bar eta progress ungroup,u quote,q halt= joblog= results= delay= timeout= retries= sshlogin,S= tag line-buffer lb no-run-if-empty,r delimiter,d= max-replace-args,N= xargs,X m verbose,t pipe block= load= memfree= tmpdir= workdir,wd= env=",
    "flock": "+ command,c= close,o exclusive,x,e nonblock,n nb shared,s timeout,w,wait= unlock,u conflict-exit-code,E= verbose no-fork,F",
    "script": "command,c= append,a return,e flush,f quiet,q log-out,O= log-in,I= log-io,B= log-timing,T= timing,t? force output-limit,o= echo,E=",
    "firejail": "+", "bwrap": "+ bind= ro-bind= dev= proc= tmpfs= chdir= setenv=", "faketime": "+ f m", "xvfb-run": "+ a auto-servernum server-args,s= n= e= w=", "caffeinate": "+ d i m s u t= w=",
    "systemd-run": "+ user scope unit,u= property,p= slice= uid= gid= nice= setenv,E= pty,t pipe,P wait,G on-active= on-boot= on-calendar= timer-property= remain-after-exit,r quiet,q working-directory= same-dir,d machine,M= host,H= description= service-type= collect shell,S",
    "systemd-inhibit": "+ what= who= why= mode=", "capsh": "+", "setpriv": "+ reuid= regid= groups= bounding-set= inh-caps= ambient-caps=", "cpulimit": "+ l= limit= p= pid= e= f", "prlimit": "+ pid,p= output,o=", "rlwrap": "+", "proxychains4": "+ q f=", "proxychains": "+ q f=", "torsocks": "+ i a= P=",
    "tini": "+ s g v p= e=", "dumb-init": "+ c", "chpst": "+ u= U= n= b= e= m= d= o= p= f= c= P 0 1 2", "sshpass": "+ p= f= d= e P= v", "entr": "+ a c d n p r s z", "fakeroot": "+ s= i= u", "gosu": "+", "su-exec": "+",
    "setarch": "+", "nohup": "+", "ts": "+", "screen": "+ d m D R r S= c= e= h= L t= x X= p=", "tmux": "@ L= S= f= c= 2 u v", "tmux new-session": "d A D P X s= n= t= c= x= y= e= F= E", "tmux new": "d A D P X s= n= t= c= x= y= e= F= E",
    "tmux new-window": "a b d k P S c= e= F= n= t=", "tmux neww": "a b d k P S c= e= F= n= t=", "tmux split-window": "b d f h I v P Z c= e= l= p= t= F=", "tmux splitw": "b d f h I v P Z c= e= l= p= t= F=",
    "tmux run-shell": "b C d= t=", "tmux run": "b C d= t=", "tmux respawn-pane": "k c= e= t=", "tmux if-shell": "b F t=", "tmux pipe-pane": "I O o t=", "tmux send-keys": "F H K l M R X N= t= c=", "tmux send": "F H K l M R X N= t= c=",
    "npx": "+ yes,y no no-install package,p= call,c= quiet,q workspace,w= workspaces ignore-existing shell=", "bunx": "+ bun package,p=", "uvx": "+ from= with= python,p= refresh index-url,i= quiet,q offline with-editable= with-requirements= index= isolated", "npm exec": "+ yes,y package,p= call,c= workspace,w= workspaces",
    "npm x": "+ yes,y package,p= call,c=", "pnpm exec": "+ recursive,r parallel shell-mode,c filter,F=", "pnpm dlx": "+ package= shell-mode,c", "pnpx": "+ package= c", "yarn exec": "+", "yarn dlx": "+ package,p= quiet,q", "bun x": "+",
    "uv run": "+ with= python,p= module,m= extra= group= no-sync frozen locked isolated active no-project directory= project= env-file= with-requirements= with-editable= script,s package= all-extras quiet,q verbose,v refresh offline dev no-dev all-groups all-packages index-url,i= no-group= only-group= index= refresh-package=", "uv tool": "@", "uv tool run": "+ from= with= python,p=",
    "poetry run": "+", "pipenv run": "+", "pdm run": "+ s site-packages", "hatch run": "+", "rye run": "+", "pipx run": "+ spec= python= no-cache pip-args=", "bundle exec": "+ keep-file-descriptors gemfile=", "bundle": "@", "rbenv exec": "+", "rbenv": "@", "pyenv": "@", "asdf": "@", "mise": "@ cd,C= env,E=", "direnv": "@", "direnv exec": "+",
    "conda run": "+ name,n= prefix,p= no-capture-output live-stream cwd=", "mamba run": "+ name,n= prefix,p=", "mamba": "@", "dotenv run": "+", "dotenv": "+ f= e= file=",
    "nix": "@", "nix-shell": "packages,p= run= command= pure attr,A= expr,E= I=", "vagrant": "@", "vagrant ssh": "command,c= plain,p", "heroku": "@ app,a= remote,r=", "heroku run": "+ app,a= remote,r= no-tty exit-code,x size,s= env,e= type=",
    "fly": "@ app,a= config,c=", "fly ssh": "@", "fly ssh console": "command,C= app,a= select,s machine= user,u=", "flyctl": "@ app,a= config,c=", "flyctl ssh": "@", "flyctl ssh console": "command,C= app,a= select,s machine=",
    "multipass": "@", "limactl": "@", "limactl shell": "+ workdir= shell=", "adb": "@ s= t= H= P= d e", "adb shell": "+ n t T x e=", "lxc": "@", "lxc exec": "+ env= cwd= user= mode=", "incus": "@", "incus exec": "+ env= cwd= user= mode=", "machinectl": "@", "machinectl shell": "+ uid= setenv,E=",
    "systemd-nspawn": "+ directory,D= machine,M= image,i= user,u= bind= boot,b quiet,q chdir= setenv,E=", "flatpak": "@", "flatpak run": "+ command= branch= env=", "singularity": "@", "singularity exec": "+ bind,B= pwd= env= home,H= nv writable contain,c cleanenv,e", "apptainer": "@", "apptainer exec": "+ bind,B= pwd= env= home,H= nv writable contain,c cleanenv,e",
    "ssh": "+ 4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w=", "mosh": "+ ssh= port,p= predict= server=", "autossh": "+ M= 4 6 A a C f g K k N n q s T t v X x Y y b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= R= S= W= w=",
    "git bisect run": "+", "git submodule foreach": "+ recursive quiet,q", "at": "file,f= mail,m M time,t= queue,q= list,l delete,d,r c= b v", "batch": "", "crontab": "user,u= edit,e list,l remove,r i s= T=", "chronic": "+", "ifne": "+ n", "doppler": "@ token,t= project,p= config,c=", "doppler run": "project,p= config,c= command= mount= fallback=", "op": "@ account= vault= format=", "op run": "env-file= no-masking", "infisical": "@", "chamber": "@",
    "aws-vault": "@", "aws-vault exec": "duration,d= region= no-session,n backend= prompt= ecs-server server", "hatch": "@", "pdm": "@", "rye": "@", "poetry": "@ directory,C= project,P=", "pipenv": "@", "pipx": "@", "dotenvx": "@", "sops": "@", "teller": "@", "distrobox": "@", "toolbox": "@", "toolbox run": "+ container,c=", "oc": "@ namespace,n=",
    "lerna": "@", "k9s": "", "arch-chroot": "+ N u=", "wsl": "+ distribution,d= user,u= exec,e cd=", "cargo watch": "exec,x= shell,s= watch,w= clear,c quiet,q ignore,i= delay,d=", "start-stop-daemon": "start,S stop,K exec,x,startas,a= pidfile,p= background,b make-pidfile,m chuid,c= chdir,d= name,n= user,u= signal,s= quiet,q oknodo,o",
}  # fmt: skip
