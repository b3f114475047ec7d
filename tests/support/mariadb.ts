import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'

const program = '/usr/sbin/mariadbd'
const user = 'reader'
const password = 'mariadb "secret", 1'

export interface MariadbServer {
  /** Connection parameters of an import of the server's only database. */
  parameters: { dbtype: string; host: string; port: number; database: string; user: string; passwd: string }
  stop(): Promise<void>
}

/** Sets a server up, runs statements in its database, and waits for the end of standard input. */
const guardScript = `
set -e
dir=$(mktemp -d "\${TMPDIR:-/tmp}/terrane-mariadb-XXXXXX")
pid=
trap 'test -z "$pid" || { kill "$pid"; wait "$pid"; }; cd /; rm -rf "$dir"' EXIT
cd "$dir"
mariadb-install-db --no-defaults --datadir="$dir/data" --skip-test-db --auth-root-authentication-method=normal > install.log 2>&1 \\
  || { cat install.log >&2; exit 1; }
"$PROGRAM" --no-defaults --datadir="$dir/data" --socket="$dir/socket" --port="$PORT" --bind-address=127.0.0.1 \\
  --skip-name-resolve --innodb-flush-log-at-trx-commit=0 > server.log 2>&1 &
pid=$!
for attempt in $(seq 300); do test -S socket && break; sleep 0.1; done
printf '%s' "$STATEMENTS" | mariadb --no-defaults --default-character-set=utf8mb4 --socket="$dir/socket" -u root
echo ready
read -r line || true
`

/** Starts a temporary MariaDB on a free loopback port, with one database in which `statements` were run. */
export async function startMariadb(statements: string): Promise<MariadbServer> {
  if (!existsSync(program)) throw new Error(`No ${program}: install the Debian package mariadb-server`)
  const port = await freePort()
  const setUp = `create database geo; create user '${user}'@'%' identified by '${password}';
    grant all on geo.* to '${user}'@'%'; use geo; ${statements};`
  const shell = ['sh', '-c', guardScript]
  const command = process.getuid?.() === 0 ? ['runuser', '-u', 'mysql', '--', ...shell] : shell
  const guard = spawn(command[0] as string, command.slice(1), {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PROGRAM: program, PORT: String(port), STATEMENTS: setUp },
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    guard.stderr.on('data', (bytes) => {
      output += bytes
    })
    guard.stdout.once('data', () => resolve())
    guard.once('error', reject)
    guard.once('exit', () => reject(new Error(`MariaDB for the tests did not start: ${output}`)))
  })
  return {
    parameters: { dbtype: 'mysql', host: '127.0.0.1', port, database: 'geo', user, passwd: password },
    stop: async () => {
      const exited = new Promise((resolve) => guard.once('exit', resolve))
      guard.stdin.end()
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No loopback port is free')
  return address.port
}
