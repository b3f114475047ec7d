import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { endIdleConnections, withConnection } from './idle-connections.ts'

/** Names the URL of a running throw-away cluster, as `startPostgres().url('postgres')` gives it, to share it. */
export const sharedClusterVariable = 'TERRANE_TEST_POSTGRES'

const superuser = 'terrane'
/** Has PostGIS and nothing else. */
export const postgisTemplate = 'terrane_template'
const programFolder = '/usr/lib/postgresql'

export interface PostgresCluster {
  /** `postgres://user:password@127.0.0.1:port/database` */
  url(database: string): string
  /** A new database, by default an empty one with PostGIS, cloned from a template. It lasts as long as the cluster. */
  createDatabase(template?: string): Promise<string>
  /** Removes such a database, also while it is in use. */
  dropDatabase(url: string): Promise<void>
  /**
   * Stops the cluster and removes its files. Also happens automatically when this process ends, however it
   * ends.
   */
  stop(): Promise<void>
}

/** A cluster of this process alone, whose server can be stopped and started while its data stay. */
export interface OwnCluster extends PostgresCluster {
  /** Stops the server at once, as a crash would; returns when its port is closed. */
  halt(): Promise<void>
  /** Starts the server again on the same port; returns when it takes connections. */
  resume(): Promise<void>
}

export interface PostgresOptions {
  /** True: write-ahead log flushed as by default, for benchmarks. False: fast, lost in a power failure. */
  isDurable?: boolean
}

/**
 * Starts a throw-away PostgreSQL with PostGIS on a free loopback port, its data in a temporary directory, with
 * password authentication (scram). Throws an error that names the Debian packages when it is not installed.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<OwnCluster> {
  const programs = findPrograms()
  const password = randomBytes(12).toString('hex')
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      const guard = await startGuard(programs, port, password, options.isDurable ?? false)
      const cluster = joinCluster(`postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`)
      await createTemplate(cluster)
      return {
        ...cluster,
        stop: () => stopGuard(guard),
        halt: () => commandGuard(guard, 'halt'),
        resume: () => commandGuard(guard, 'resume'),
      }
    } catch (error) {
      if (attempt === 3 || !/Address already in use/.test(String(error))) throw error
    }
  }
}

/** A cluster that runs already, by the URL of its `postgres` database; `stop` leaves it alone. */
export function joinCluster(clusterUrl: string): PostgresCluster {
  const url = (database: string): string =>
    Object.assign(new URL(clusterUrl), { pathname: `/${database}` }).href
  return {
    url,
    async createDatabase(template = postgisTemplate) {
      const name = `test_${randomBytes(6).toString('hex')}`
      await endIdleConnections(url(template))
      await runSql(clusterUrl, `create database ${name} template ${template} strategy file_copy`)
      return url(name)
    },
    async dropDatabase(databaseUrl) {
      const name = new URL(databaseUrl).pathname.slice(1)
      if (!name.startsWith('test_')) throw new Error(`"${name}" is not a database of a test`)
      await endIdleConnections(databaseUrl)
      await runSql(clusterUrl, `drop database if exists ${name} with (force)`)
    },
    stop: async () => {},
  }
}

let ownCluster: Promise<PostgresCluster> | undefined

/**
 * Returns the cluster that the test run shares (`TERRANE_TEST_POSTGRES`), otherwise one that this process
 * starts once.
 */
export function testCluster(): Promise<PostgresCluster> {
  const shared = process.env[sharedClusterVariable]
  ownCluster ??= shared ? Promise.resolve(joinCluster(shared)) : startPostgres()
  return ownCluster
}

/** Runs statements on the database at `url` and returns the rows of the last one. */
export async function runSql(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  const result = await withConnection(url, sql, (client) => client.query(sql, values))
  const last = Array.isArray(result) ? result.at(-1) : result
  return last.rows
}

function findPrograms(): string {
  const versions = existsSync(programFolder) ? readdirSync(programFolder) : []
  const newest = versions
    .filter((version) => existsSync(join(programFolder, version, 'bin', 'initdb')))
    .sort((a, b) => Number(a) - Number(b))
    .at(-1)
  if (newest === undefined) {
    throw new Error(
      `No PostgreSQL in ${programFolder}: install the Debian packages postgresql and postgresql-postgis`,
    )
  }
  return join(programFolder, newest, 'bin')
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

/**
 * Makes the cluster, starts it, and obeys the lines `halt` and `resume` until the end of standard input, which comes with
 * the end of this process, also by SIGKILL; then stops the server and removes the directory.
 */
const guardScript = `
set -e
dir=$(mktemp -d "\${TMPDIR:-/tmp}/terrane-postgres-XXXXXX")
trap 'cd /; rm -rf "$dir"' EXIT
cd "$dir"
printf %s "$CLUSTER_PASSWORD" > password
"$PROGRAMS/initdb" -N -D data -U "$CLUSTER_USER" -A scram-sha-256 --pwfile=password \
  -E UTF8 --locale=C.UTF-8 > initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
printf '%s\\n' "$CLUSTER_SETTINGS" >> data/postgresql.conf
"$PROGRAMS/pg_ctl" start -D data -l server.log -w -t 60 > start.log 2>&1 || { cat start.log server.log >&2; exit 1; }
trap '"$PROGRAMS/pg_ctl" stop -D "$dir/data" -m immediate > /dev/null 2>&1; cd /; rm -rf "$dir"' EXIT
trap 'exit 0' INT TERM HUP
echo ready
while read -r line; do
  case "$line" in
    halt) "$PROGRAMS/pg_ctl" stop -D data -m immediate > stop.log 2>&1 || { cat stop.log >&2; exit 1; } ;;
    resume) "$PROGRAMS/pg_ctl" start -D data -l server.log -w -t 60 > start.log 2>&1 || { cat start.log >&2; exit 1; } ;;
  esac
  echo done
done
`

/**
 * Returns settings without flushes. Queries of tests take less time than compiling them. Each connection would load PostGIS if
 * the server did not.
 */
function fastSettings(programs: string): string[] {
  const settings = [
    'fsync = off',
    'synchronous_commit = off',
    'full_page_writes = off',
    'autovacuum = off',
    'wal_level = minimal',
    'max_wal_senders = 0',
    'jit = off',
  ]
  const library = join(programs, '..', 'lib', 'postgis-3.so')
  return existsSync(library) ? [...settings, "shared_preload_libraries = 'postgis-3'"] : settings
}

async function startGuard(
  programs: string,
  port: number,
  password: string,
  isDurable: boolean,
): Promise<ChildProcess> {
  const settings = [
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    `port = ${port}`,
    ...(isDurable ? [] : fastSettings(programs)),
  ]
  const shell = ['sh', '-c', guardScript]
  const isRoot = process.getuid?.() === 0
  const command = isRoot ? ['runuser', '-u', 'postgres', '--', ...shell] : shell
  const guard = spawn(command[0] as string, command.slice(1), {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // Otherwise each process that serves a connection would look its functions up anew.
      LD_BIND_NOW: '1',
      PROGRAMS: programs,
      CLUSTER_USER: superuser,
      CLUSTER_PASSWORD: password,
      CLUSTER_SETTINGS: settings.join('\n'),
    },
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    guard.stderr.on('data', (bytes) => {
      output += bytes
    })
    guard.stdout.once('data', () => resolve())
    guard.once('error', reject)
    guard.once('exit', () => reject(new Error(`PostgreSQL for the tests did not start: ${output}`)))
  })
  guard.stderr.destroy()
  guard.unref()
  // The pipes must not keep this process alive: the cluster ends with it.
  for (const pipe of [guard.stdin, guard.stdout])
    if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return guard
}

/** Sends a command to the guard and waits until it has been carried out. */
async function commandGuard(guard: ChildProcess, command: 'halt' | 'resume'): Promise<void> {
  guard.ref()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (): void => reject(new Error(`The guard of the cluster ended at "${command}"`))
  guard.once('exit', fail)
  guard.stdout?.once('data', () => resolve())
  guard.stdin?.write(`${command}\n`)
  try {
    await promise
  } finally {
    guard.off('exit', fail)
    guard.unref()
  }
}

async function stopGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return
  const exited = new Promise((resolve) => guard.once('exit', resolve))
  guard.ref()
  guard.stdin?.end()
  await exited
}

async function createTemplate(cluster: PostgresCluster): Promise<void> {
  await runSql(cluster.url('postgres'), `create database ${postgisTemplate}`)
  try {
    await runSql(cluster.url(postgisTemplate), 'create extension postgis')
  } catch (error) {
    throw new Error('PostgreSQL has no PostGIS: install the Debian package postgresql-postgis', {
      cause: error,
    })
  }
}
