import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { runProgram } from '../../src/core/process/process.ts'
import { defined } from '../../src/core/values/defined.ts'
import type { FilePart, Json } from './importer-client.ts'
import { multipart, multipartType } from './importer-client.ts'
import type { TestServer } from './server.ts'
import { startServer, userAndPassword } from './server.ts'

export const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`

export interface Reply {
  status: number
  json: Json
  text: string
  headers: Headers
}

/** Real server under attack: a process with a separate data directory and folder for temporary files. */
export interface Victim {
  server: TestServer
  dataDir: string
  tempDir: string
  incoming: string
  send(method: string, path: string, body?: string | Uint8Array, type?: string): Promise<Reply>
  /** JSON to a path below `/rest/imports`. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  upload(id: number, files: FilePart[]): Promise<Reply>
  /** A new import without data into the default store; gives its id. */
  newImport(fields?: object): Promise<number>
  /** Uploads to a new import, gives the CRS where none is known, runs it, and gives the import in the end. */
  load(files: FilePart[], srs?: string): Promise<Json>
  /** Fails unless the server responds and imports a valid file. */
  assertLives(): Promise<void>
  /** Paths of files below the folders of uploads, of this process's temporary files, and of loads not done. */
  leftovers(): string[]
  /**
   * Stops the server and returns its log, which must not contain a path that names a secret, or a password.
   */
  log(): Promise<string>
}

const town = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { a: 1 } }],
})

/** Creates a disk of this size in memory; undefined if that is not possible, which the test reports. */
export async function smallDisk(test: TestContext, megabytes: number): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-disk-'))
  try {
    await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  } catch {
    rmSync(folder, { recursive: true })
    test.diagnostic('a small disk can only be made by root, where the system allows it')
    return undefined
  }
  test.after(async () => {
    await runProgram('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Starts the server that a test attacks. */
export async function startVictim(test: TestContext, dataDir: string, env: Record<string, string> = {}) {
  const tempDir = mkdtempSync(join(tmpdir(), 'terrane-victim-'))
  test.after(() => rmSync(tempDir, { recursive: true, force: true }))
  const server = await startServer(test, dataDir, { TMPDIR: tempDir, ...env })
  return victimOf(server, dataDir, tempDir)
}

function victimOf(server: TestServer, dataDir: string, tempDir: string): Victim {
  const incoming = join(dataDir, 'incoming')
  mkdirSync(incoming, { recursive: true })
  const send: Victim['send'] = async (method, path, body, type) => {
    const reply = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization, ...defined({ 'content-type': type }) },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
    })
    const text = await reply.text()
    const isJson = /json/.test(reply.headers.get('content-type') ?? '')
    const json = (isJson && text !== '' ? JSON.parse(text) : {}) as Json
    return { status: reply.status, headers: reply.headers, json, text }
  }
  const call: Victim['call'] = (method, path, body) =>
    body === undefined
      ? send(method, `/rest/imports${path}`)
      : send(method, `/rest/imports${path}`, JSON.stringify(body), 'application/json')
  const upload: Victim['upload'] = (id, files) =>
    send('POST', `/rest/imports/${id}/tasks`, multipart(files), multipartType)
  const newImport: Victim['newImport'] = async (fields = {}) => {
    const { status, json, text } = await call('POST', '', { import: fields })
    assert.equal(status, 201, text)
    return Number(json.import?.id)
  }
  const load: Victim['load'] = async (files, srs) => {
    const id = await newImport()
    const uploaded = await upload(id, files)
    assert.equal(uploaded.status, 201, uploaded.text)
    if (srs !== undefined) await call('PUT', `/${id}/tasks/0/layer`, { layer: { srs } })
    await call('POST', `/${id}`)
    return (await call('GET', `/${id}?expand=3`)).json.import as Json
  }
  return {
    server,
    dataDir,
    tempDir,
    incoming,
    send,
    call,
    upload,
    newImport,
    load,
    assertLives: async () => {
      assert.equal((await send('GET', '/health')).status, 200)
      const made = await load([{ name: 'good.geojson', content: town }])
      assert.equal(String(made.state), 'COMPLETE', JSON.stringify(made))
      assert.equal((await call('DELETE', `/${made.id}`)).status, 200)
    },
    leftovers: () => [
      ...filesBelow(join(dataDir, 'uploads')),
      ...filesBelow(tempDir),
      ...filesBelow(join(dataDir, 'stores')).filter((path) => /\.load-|\.part$/.test(path)),
    ],
    log: async () => {
      await server.stop()
      return (await server.process.ended).stderr
    },
  }
}

/** Returns the peak memory of a process so far, in megabytes. */
export function peakMegabytes(pid: number): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) / 1024
}
