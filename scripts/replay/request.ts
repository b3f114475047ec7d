import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../src/core/values/defined.ts'
import type { TreeServer } from './tree-server.ts'
import { adminPassword } from './tree-server.ts'

/**
 * One request of a scene. `{folder}`, `{store.port}` and similar placeholders in path and body are replaced
 * per server.
 */
export interface Step {
  method: string
  path: string
  /** JSON value, or text to send unchanged. */
  body?: unknown
  headers?: Record<string, string>
  /** File of the source tree to send unchanged. */
  file?: string
  /** Files of the source tree that are sent as a form. */
  files?: string[]
  /** User that sends the request; the administrator by default. */
  as?: 'nobody' | 'wrong' | 'reader' | 'editor'
  /** Repeats the request until its response matches; the last response counts. */
  until?: RegExp
  /**
   * True if the response depends on the time, such as a measurement: only its status and type are compared.
   */
  isLive?: boolean
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

const users = {
  admin: `admin:${adminPassword}`,
  wrong: 'admin:wrong-password',
  reader: 'reader:reader-password',
  editor: 'editor:editor-password',
}
const maxTries = 100
const maxMs = 240_000

/**
 * Sends a step to a server. Returns the response with the server-specific values replaced by their
 * placeholders.
 */
export async function ask(server: TreeServer, tree: string, step: Step): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    const answer = await send(server, tree, step)
    if (step.until === undefined || step.until.test(answer.body) || tries === maxTries) return answer
    await sleep(50)
  }
}

async function send(server: TreeServer, tree: string, step: Step): Promise<Answer> {
  const fill = filler(server)
  const { type, bytes } = await bodyOf(step, tree, fill)
  const headers = {
    ...(step.as === 'nobody' ? {} : { authorization: `Basic ${btoa(users[step.as ?? 'admin'])}` }),
    ...defined({ 'content-type': type }),
    ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
    ...step.headers,
  }
  const target = new URL(server.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        method: step.method,
        path: fill(step.path),
        headers,
        timeout: maxMs,
      },
      (reply) => {
        const chunks: Buffer[] = []
        const end = (): void =>
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers as Record<string, string>,
            body: put(server, Buffer.concat(chunks).toString('latin1')),
          })
        // Streams of news do not end by themselves.
        if (/event-stream/.test(reply.headers['content-type'] ?? '')) {
          setTimeout(() => {
            end()
            request.destroy()
          }, 400)
        }
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', end)
        reply.on('error', () => end())
      },
    )
    request.on('timeout', () => request.destroy(new Error(`${step.method} ${step.path} was not answered`)))
    request.on('error', (error) => resolve({ status: -1, headers: {}, body: String(error.message) }))
    request.on('error', reject)
    request.end(bytes)
  })
}

async function bodyOf(
  { body, file, files }: Step,
  tree: string,
  fill: (text: string) => string,
): Promise<{ type?: string; bytes?: Buffer }> {
  if (files !== undefined) return formOf(files, tree)
  if (file !== undefined) return { type: 'application/json', bytes: await readFile(`${tree}/${file}`) }
  if (body === undefined) return {}
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { type: 'application/json', bytes: Buffer.from(fill(text)) }
}

async function formOf(files: string[], tree: string): Promise<{ type: string; bytes: Buffer }> {
  const boundary = 'replay-boundary'
  const parts: Buffer[] = []
  for (const file of files) {
    const name = file.split('/').at(-1)
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="filedata"; filename="${name}"\r\n\r\n`
    parts.push(Buffer.from(head), await readFile(`${tree}/${file}`), Buffer.from('\r\n'))
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) }
}

function placesOf({ url, folder, storeUrl }: TreeServer): Record<string, string> {
  const store = new URL(storeUrl)
  return {
    '{server}': url,
    '{host}': new URL(url).host,
    '{folder}': folder,
    '{store.host}': store.hostname,
    '{store.port}': store.port,
    '{store.database}': store.pathname.slice(1),
    '{store.user}': store.username,
    '{store.password}': store.password,
  }
}

function filler(server: TreeServer): (text: string) => string {
  const places = placesOf(server)
  return (text) => text.replaceAll(/\{[a-z.]+\}/g, (name) => places[name] ?? name)
}

function put(server: TreeServer, text: string): string {
  const { url, folder, storeUrl } = server
  const database = new URL(storeUrl).pathname.slice(1)
  return text
    .replaceAll(url, '{server}')
    .replaceAll(new URL(url).host, '{host}')
    .replaceAll(`:${new URL(url).port}`, ':{port}')
    .replaceAll(folder, '{folder}')
    .replaceAll(database, '{store.database}')
}
