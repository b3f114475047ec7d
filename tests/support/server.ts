import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from './importer-client.ts'
import type { Cleanup, RunningProcess } from './terrane-process.ts'
import { startTerrane } from './terrane-process.ts'
import { patienceMs, pauseMs } from './until.ts'

const password = 'server-test-password'
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

/** User and password as GDAL's `GDAL_HTTP_USERPWD` takes them. */
export const userAndPassword = `admin:${password}`

interface ServerAnswer {
  status: number
  json: Json
  text: string
  /** URL of the created object. */
  location: string | undefined
}

/** Real server in a separate process. */
export interface TestServer {
  url: string
  process: RunningProcess
  call(method: string, path: string, body?: unknown): Promise<ServerAnswer>
  /** Posts fields as a form. */
  form(path: string, fields: Record<string, string>): Promise<ServerAnswer>
  /** Waits until an import is in one of these states, and returns it with its complete tasks. */
  importIn(id: number, states: string[], limitMs?: number): Promise<Json>
  /** Listens to an import from now on; what it gives waits as `eventOf` does. */
  watch(id: number): Promise<(pattern: RegExp) => Promise<boolean>>
  /** Waits for an event of an import whose data match; false when the server ends first. */
  eventOf(id: number, pattern: RegExp): Promise<boolean>
  /** Ends it at once, as a power cut would, and waits until it is gone. */
  kill(): Promise<void>
  stop(): Promise<void>
}

interface StartOptions {
  /** Path of `bin/terrane.mjs` of another source tree. */
  program?: string
  /** Called as soon as the process exists, before it does anything. */
  onSpawn?(pid: number): void
}

/** Starts `terrane serve` on a data directory and a free port, without sample data, and waits until it is ready. */
export async function startServer(
  t: Cleanup,
  dataDir: string,
  env: Record<string, string> = {},
  { onSpawn, program }: StartOptions = {},
): Promise<TestServer> {
  const settings = {
    TERRANE_DATA: dataDir,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: password,
    TERRANE_SAMPLE: 'off',
    TERRANE_LOG: 'warn',
    ...env,
  }
  const process = startTerrane(t, ['serve'], settings, program)
  onSpawn?.(process.pid)
  const url = (await process.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  const send = async (path: string, init: RequestInit): Promise<ServerAnswer> => {
    const reply = await fetch(`${url}${path}`, init)
    const text = await reply.text()
    const isJson = /json/.test(reply.headers.get('content-type') ?? '')
    const json = (isJson && text !== '' ? JSON.parse(text) : {}) as Json
    return { status: reply.status, json, text, location: reply.headers.get('location') ?? undefined }
  }
  const call: TestServer['call'] = (method, path, body) =>
    send(path, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const watch: TestServer['watch'] = async (id) => {
    const reply = await fetch(`${url}/rest/imports/${id}/events`, { headers: { authorization } })
    return async (pattern) => {
      let heard = ''
      try {
        for await (const bytes of reply.body ?? []) {
          heard += Buffer.from(bytes).toString()
          if (pattern.test(heard)) return true
        }
      } catch {
        // The server was killed.
      }
      return false
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.signal(signal)
    await process.ended
  }
  return {
    url,
    process,
    call,
    form: (path, fields) =>
      send(path, { method: 'POST', headers: { authorization }, body: new URLSearchParams(fields) }),
    importIn: async (id, states, limitMs = patienceMs) => {
      const began = performance.now()
      let last = ''
      while (performance.now() - began < limitMs) {
        const { json, text } = await call('GET', `/rest/imports/${id}?expand=3`)
        if (states.includes(String(json.import?.state))) return json.import as Json
        last = text
        await sleep(pauseMs(performance.now() - began))
      }
      return assert.fail(`import ${id} did not come to ${states.join(' or ')}: ${last}`)
    },
    watch,
    eventOf: async (id, pattern) => (await watch(id))(pattern),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}
