import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian's: its package `gdal-bin` brings the bindings for it. */
const python = '/usr/bin/python3'
const script = join(import.meta.dirname, 'gdal-session.py')

interface SessionRequest {
  call: 'translate' | 'warp' | 'convert' | 'info' | 'cells' | 'rasterize'
  from: string
  to?: string
  /** Options as the program of GDAL takes them. */
  options?: readonly string[]
  /** `KEY=VALUE` after `-oo`. */
  openOptions?: readonly string[]
}

interface Session {
  requests: number
  results: number
}

let session: Session | undefined

/** Converts a raster as `gdal_translate` does. */
export function translateRaster(from: string, to: string, options: readonly string[] = []): void {
  callGdal({ call: 'translate', from, to, options })
}

/** Warps a raster as `gdalwarp -overwrite` does. */
export function warpRaster(from: string, to: string, options: readonly string[] = []): void {
  callGdal({ call: 'warp', from, to, options })
}

/** Converts a vector file as `ogr2ogr` does. */
export function convertVector(from: string, to: string, options: readonly string[] = []): void {
  callGdal({ call: 'convert', from, to, options })
}

/** Returns what `ogr2ogr` writes to `/vsistdout/`. */
export function convertedVector(
  from: string,
  options: readonly string[] = [],
  openOptions: readonly string[] = [],
): string {
  return callGdal({ call: 'convert', from, options, openOptions }).toString()
}

/** Returns what `gdalinfo -json` prints. */
export function rasterInfo<T>(from: string, options: readonly string[] = []): T {
  return JSON.parse(callGdal({ call: 'info', from, options }).toString()) as T
}

/** Returns the cells of all bands, one band after the other, in their own type. */
export function rasterCells(from: string): Buffer {
  return callGdal({ call: 'cells', from })
}

/** Burns a vector file as `gdal_rasterize -ot Byte` does. Returns the number of cells of each value from 0 to 255. */
export function rasterizedCounts(from: string, options: readonly string[]): number[] {
  return JSON.parse(callGdal({ call: 'rasterize', from, options }).toString()) as number[]
}

/**
 * Sends a request to the GDAL that this process shares, and waits for its result. That process ends with this one. Throws what
 * GDAL calls an error.
 */
function callGdal(request: SessionRequest): Buffer {
  session ??= startSession()
  writeSync(session.requests, `${JSON.stringify({ options: [], ...request })}\n`)
  const answer = JSON.parse(readLine(session.results)) as { size: number } | { error: string }
  if ('error' in answer) throw new Error(`GDAL, ${JSON.stringify(request)}: ${answer.error}`)
  return readBytes(session.results, answer.size)
}

/** Named pipes, as the pipes of a child process cannot be read without returning to the event loop. */
function startSession(): Session {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-gdal-'))
  try {
    const [requests, results] = [join(folder, 'requests'), join(folder, 'results')]
    execFileSync('/usr/bin/mkfifo', [requests, results])
    // The shell opens the pipes first, so that a program that cannot start ends the wait for its result.
    const child = spawn(
      '/bin/sh',
      ['-c', 'exec 0<"$2" 1>"$3"; exec "$0" "$1"', python, script, requests, results],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    child.unref()
    return { requests: openSync(requests, 'w'), results: openSync(results, 'r') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readLine(descriptor: number): string {
  const bytes: Buffer[] = []
  for (;;) {
    const byte = readBytes(descriptor, 1)
    if (byte.toString() === '\n') return Buffer.concat(bytes).toString()
    bytes.push(byte)
  }
}

function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let read = 0; read < size; ) {
    const count = readSync(descriptor, bytes, read, size - read, null)
    if (count === 0) throw new Error('The GDAL that the tests share has ended')
    read += count
  }
  return bytes
}
