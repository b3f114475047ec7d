import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSql } from './postgres.ts'
import type { Cleanup } from './terrane-process.ts'

/** A synchronous standby of a cluster: what the primary has committed is there too. */
export interface PostgresStandby {
  port: number
  /** Makes it the primary; returns when it takes writes. */
  promote(): void
}

const programs = '/usr/lib/postgresql'

function programPath(name: string): string {
  const newest =
    readdirSync(programs)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1) ?? ''
  return join(programs, newest, 'bin', name)
}

/** Runs a program of PostgreSQL, which refuses to run as root. */
function run(name: string, args: string[], env: Record<string, string> = {}): void {
  const isRoot = process.getuid?.() === 0
  const command = [programPath(name), ...args]
  const [first = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
  const { status, stderr } = spawnSync(first, rest, {
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Copies a durable cluster with `pg_basebackup` and follows it by streaming replication. It ends after the test. */
export async function startStandby(t: Cleanup, primaryUrl: string): Promise<PostgresStandby> {
  const { hostname, port: primaryPort, username, password } = new URL(primaryUrl)
  const folder = mkdtempSync(join(tmpdir(), 'terrane-standby-'))
  const data = join(folder, 'data')
  const port = await freePort()
  if (process.getuid?.() === 0) {
    const id = (option: string): number =>
      Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout.trim())
    chownSync(folder, id('-u'), id('-g'))
  }
  const source = `host=${hostname} port=${primaryPort} user=${username} application_name=standby`
  run('pg_basebackup', ['-D', data, '-d', source, '-R', '-X', 'stream', '--checkpoint=fast'], {
    PGPASSWORD: password,
  })
  const options = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c hot_standby=on`
  t.after(() => {
    try {
      run('pg_ctl', ['stop', '-D', data, '-m', 'immediate'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
  run('pg_ctl', ['start', '-D', data, '-l', join(folder, 'log'), '-o', options, '-w', '-t', '60'])
  await runSql(primaryUrl, "alter system set synchronous_standby_names = 'standby'")
  await runSql(primaryUrl, 'select pg_reload_conf()')
  return { port, promote: () => run('pg_ctl', ['promote', '-D', data, '-w', '-t', '60']) }
}
