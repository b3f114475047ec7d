import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { freePort, makeCertificate, openFolder, startProgram } from '../../support/remote-servers.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'

const document = 'docs/behind-a-proxy.md'
const publicUrl = 'https://maps.example.org'
const password = 'e2e-password'
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
const isRoot = process.getuid?.() === 0

/** The block of the document with addresses and certificates of this test. */
function configuration(folder: string, place: string, port: number, backend: number): string {
  const { certificate, key } = makeCertificate(folder)
  return blockAt(place)
    .replaceAll('/etc/ssl/maps.example.org.crt', certificate)
    .replaceAll('/etc/ssl/maps.example.org.key', key)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${backend}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('*:443', `127.0.0.1:${port}`)
}

async function startNginx(t: Cleanup, backend: number): Promise<number> {
  const [folder, port] = [openFolder(t), await freePort()]
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; ${isRoot ? 'user root;' : ''} worker_processes 1; pid ${folder}/nginx.pid;
     events { worker_connections 64; }
     http { access_log off; ${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
     ${configuration(folder, `${document} > nginx > nginx 1`, port, backend)} }`,
  )
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', `${folder}/error.log`]
  await startProgram(t, 'nginx', args, port)
  return port
}

const apacheModules =
  'mpm_event unixd authz_core log_config logio ssl socache_shmcb headers proxy proxy_http'.split(' ')

async function startApache(t: Cleanup, backend: number): Promise<number> {
  const [folder, port] = [openFolder(t), await freePort()]
  if (isRoot) chmodSync(folder, 0o755)
  const modules = apacheModules
    .map((name) => [name, `/usr/lib/apache2/modules/mod_${name}.so`] as const)
    .filter(([, path]) => existsSync(path))
    .map(([name, path]) => `LoadModule ${name}_module ${path}`)
  mkdirSync(join(folder, 'run'))
  writeFileSync(
    join(folder, 'apache.conf'),
    `ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}/run
Mutex file:${folder}
ErrorLog ${folder}/error.log
${modules.join('\n')}
${isRoot ? 'User nobody\nGroup nogroup' : ''}
${configuration(folder, `${document} > Apache > apache 1`, port, backend)}
`,
  )
  const args = ['-d', folder, '-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND']
  await startProgram(t, '/usr/sbin/apache2', args, port)
  return port
}

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Sends a request as a browser to the public address, which is that of this proxy. */
function send(port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        servername: 'maps.example.org',
        rejectUnauthorized: false,
        headers: {
          host: 'maps.example.org',
          authorization,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      resolve,
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

async function answerOf(port: number, sent: Sent): Promise<{ status: number; body: string }> {
  const answer = await send(port, sent)
  return { status: answer.statusCode ?? 0, body: await text(answer) }
}

/** The settings that the document names, on a free port. */
async function startBackend(t: Cleanup, isComplete: boolean): Promise<number> {
  const port = await freePort()
  const named = blockAt(`${document} > Behind nginx or Apache > sh 1`)
    .split('\n')
    .map((line) => /^(\w+)=(\S+)/.exec(line) ?? [])
    .map(([, name = '', value = '']) => [name, value] as const)
  const server = startTerrane(t, ['serve'], {
    TERRANE_DATA: temporaryData(t),
    TERRANE_PORT: String(port),
    TERRANE_ADMIN_PASSWORD: password,
    TERRANE_SAMPLE: 'off',
    TERRANE_LOG: 'warn',
    ...(isComplete ? Object.fromEntries(named) : {}),
  })
  await server.line(/^Stop it with/)
  return port
}

const json = { 'content-type': 'application/json' }

function upload(megabytes: number): Sent {
  const rows = `${'x'.repeat(1023)}\n`.repeat(megabytes * 1024)
  const body = `--b\r\nContent-Disposition: form-data; name="filedata"; filename="big.csv"\r\n\r\nword,more\n${rows}\r\n--b--\r\n`
  return {
    method: 'POST',
    path: '/rest/imports/0/tasks',
    headers: { origin: publicUrl, 'content-type': 'multipart/form-data; boundary=b' },
    body,
  }
}

describe('docs/behind-a-proxy.md', () => {
  for (const [name, start] of [
    ['nginx', startNginx],
    ['Apache', startApache],
  ] as const) {
    it(`has a configuration of ${name} that works: links, changes by browsers, large uploads, events`, async (t) => {
      const port = await start(t, await startBackend(t, true))
      const index = await answerOf(port, { path: '/', headers: { accept: 'application/json' } })
      assert.match(index.body, /"href":"https:\/\/maps\.example\.org\/ogc"/)
      const made: Sent = { method: 'POST', path: '/rest/imports', headers: json, body: '{"import":{}}' }
      const own = await answerOf(port, { ...made, headers: { ...json, origin: publicUrl } })
      assert.equal(own.status, 201, own.body)
      const foreign = await answerOf(port, { ...made, headers: { ...json, origin: 'https://evil.example' } })
      assert.equal(foreign.status, 403)
      const uploaded = await answerOf(port, upload(5))
      assert.equal(uploaded.status, 201, uploaded.body.slice(0, 300))

      const events = await send(port, { path: '/rest/imports/0/events' })
      const [first] = (await events.take(1).toArray()) as Buffer[]
      assert.ok((first?.length ?? 0) > 0, 'events come before the stream ends')

      const path = '/rest/layers/default%3Anone%2Fslash'
      const missing = await answerOf(port, { path })
      assert.match(missing.body, /none\/slash.{1,3} does not exist/, 'an encoded slash arrives as one')
    })
  }

  it('tells what to set where the public address is not', async (t) => {
    const port = await startNginx(t, await startBackend(t, false))
    const made = { method: 'POST', path: '/rest/imports', body: '{"import":{}}' }
    const headers = { ...json, origin: 'https://www.maps.example.org' }
    const refused = await answerOf(port, { ...made, headers })
    assert.equal(refused.status, 403)
    assert.match(refused.body, /TERRANE_PUBLIC_URL to the URL in the browser.*TERRANE_CORS_ORIGINS/)
  })
})
