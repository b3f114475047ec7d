import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Tiles by `ST_AsMVT` over HTTP, as a plain tile server makes them: compressed, out of a pool of connections. */
export interface MvtPeer {
  tileUrl(table: string, srid: number, tile: { z: number; x: number; y: number }): string
  stop(): void
}

/** Starts the peer in a process of its own. */
export async function startMvtPeer(databaseUrl: URL, connections: number): Promise<MvtPeer> {
  const child: ChildProcess = spawn(
    process.execPath,
    [new URL('./mvt-peer-process.ts', import.meta.url).pathname],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl.href, CONNECTIONS: String(connections) },
    },
  )
  const stop = (): void => void child.kill('SIGKILL')
  process.once('exit', stop)
  if (child.stdout === null) throw new Error('The process has no output')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString().trim())
  return {
    tileUrl: (table, srid, { z, x, y }) => `http://127.0.0.1:${port}/${table}/${srid}/${z}/${x}/${y}`,
    stop: () => {
      process.off('exit', stop)
      stop()
    },
  }
}
