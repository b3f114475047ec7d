import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './temporary-files.ts'
import { until } from './until.ts'
import { startWebServer } from './web-server.ts'

/** Points as GeoJSON, numbered from 0 in their attribute `row`. */
export function pointsText(count: number): string {
  return JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: count }, (_, row) => ({
      type: 'Feature',
      properties: { row },
      geometry: { type: 'Point', coordinates: [row % 180, row % 90] },
    })),
  })
}

/** Puts a file into the import root of a data directory. */
export function provideFile(dataDir: string, name: string, content: string | Uint8Array): void {
  mkdirSync(join(dataDir, 'incoming'), { recursive: true })
  writeFileSync(join(dataDir, 'incoming', name), content)
}

/** A program of GDAL that begins to write and then hangs, for servers that have `path` as their `PATH`. */
export function hangingProgram(t: TestContext, name: string): { path: string; begun(): Promise<number> } {
  const folder = temporaryFolder(t)
  const pidPath = join(folder, 'pid')
  const script = `#!/bin/sh\nfor output; do :; done\necho half > "$output"\necho $$ > ${pidPath}\nexec sleep 1000\n`
  writeFileSync(join(folder, name), script)
  chmodSync(join(folder, name), 0o755)
  return {
    path: `${folder}${delimiter}${process.env.PATH}`,
    begun: async () => {
      await until(() => existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== '')
      return Number(readFileSync(pidPath, 'utf8'))
    },
  }
}

export interface SlowSource {
  url: string
  /** Completes all responses, including those in progress. */
  hurry(): void
  /** Requests so far. */
  requests(): number
}

/**
 * Starts a web server whose responses begin with an endless slow sequence of blanks, until `hurry` is called.
 */
export async function slowSource(t: TestContext, content: string): Promise<SlowSource> {
  const open = new Set<() => void>()
  let isSlow = true
  let count = 0
  const url = await startWebServer(t, (_request, reply) => {
    count += 1
    if (!isSlow) {
      reply.end(content)
      return
    }
    const dripping = setInterval(() => reply.write(' '), 100)
    reply.once('close', () => clearInterval(dripping))
    open.add(() => {
      clearInterval(dripping)
      reply.end(content)
    })
  })
  const hurry = (): void => {
    isSlow = false
    for (const end of open) end()
  }
  return { url, hurry, requests: () => count }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
