import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresCluster } from '../../tests/support/postgres.ts'

export const adminPassword = 'replay-password'

/** Configuration of the servers of one comparison. */
export interface Setting {
  dialect: 'contract' | 'geoserver'
  catalog: 'sqlite' | 'postgres'
}

/** Server of one source tree, with folders and databases of its own. */
export interface TreeServer {
  url: string
  folder: string
  /** A database with PostGIS, for stores. */
  storeUrl: string
  stop(): Promise<void>
}

/**
 * Starts the server of a source tree with an empty data directory. Its import root contains copies of the
 * fixtures of another tree.
 */
export async function startTree(
  tree: string,
  fixtures: string,
  { dialect, catalog }: Setting,
  cluster: PostgresCluster,
): Promise<TreeServer> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-replay-'))
  const incoming = join(folder, 'incoming')
  mkdirSync(incoming)
  for (const name of ['tests/fixtures', 'sample'])
    cpSync(join(fixtures, name), join(incoming, name), { recursive: true })
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TERRANE_DATA: join(folder, 'data'),
    TERRANE_IMPORT_ROOTS: incoming,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: adminPassword,
    TERRANE_SAMPLE: 'off',
    TERRANE_LOG: 'warn',
    TERRANE_DIALECT: dialect,
    TERRANE_REMOTE_ALLOW: '127.0.0.1',
    // Tasks run in their order, so that they take names in their order.
    TERRANE_LOADS: '1',
    TERRANE_REMOTE_TRIES: '1',
    ...(catalog === 'postgres' ? { TERRANE_DATABASE_URL: await cluster.createDatabase() } : {}),
  }
  const storeUrl = await cluster.createDatabase()
  const child = spawn(process.execPath, [join(tree, 'src/main.ts'), 'serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const address = /^Terrane is ready at (\S+)$/m.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    })
    void ended.then(() => reject(new Error(`The server of ${tree} did not start: ${output}`)))
  })
  return {
    url,
    folder,
    storeUrl,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}
