import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Cleanup } from './terrane-process.ts'
import { temporaryData } from './terrane-process.ts'

/** QGIS in a separate process, without a window. */
export interface Qgis {
  /** Runs a command of `qgis-client.py`; fails if QGIS does. */
  ask<T>(request: { do: string; [key: string]: unknown }): Promise<T>
}

/** Starts QGIS with a new profile; ends it after the test. */
export function startQgis(t: Cleanup): Qgis {
  const home = temporaryData(t)
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'qgis-client.py')], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, QT_QPA_PLATFORM: 'offscreen' },
  })
  t.after(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async <T>(request: { do: string; [key: string]: unknown }): Promise<T> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await lines.next()
    if (done === true) assert.fail(`QGIS ended: ${errors}`)
    const answer = JSON.parse(String(value)) as T & { error?: string }
    assert.equal(answer.error, undefined, errors)
    return answer
  }
  return { ask }
}

const halfWorld = 20037508.342789244

/** The address of a layer's tiles as QGIS takes it. */
export function tilesOf(address: string, options: { zmax?: number; styleUrl?: string } = {}): string {
  const style = options.styleUrl === undefined ? '' : `&styleUrl=${encodeURIComponent(options.styleUrl)}`
  return `type=xyz&url=${encodeURIComponent(address)}&zmin=0&zmax=${options.zmax ?? 18}${style}`
}

/** A square of web mercator as `[west, south, east, north]`: the tile of a zoom, or the world. */
export function squareOf(z = 0, x = 0, y = 0): [number, number, number, number] {
  const size = (2 * halfWorld) / 2 ** z
  const west = -halfWorld + x * size
  const north = halfWorld - y * size
  return [west, north - size, west + size, north]
}
