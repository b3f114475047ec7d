import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'
import { readTree } from '../../support/read-tree.ts'
import { importRemote, startFetcher, statesOf, untilPrepared } from '../../support/remote-client.ts'
import { startWebServer } from '../../support/web-server.ts'

const towns = readFileSync('tests/fixtures/geojson/valid.geojson')
const archive = readFileSync('tests/fixtures/archives/utf.zip')
const secret = 'tr0ub4dor&3'

/**
 * Starts a web server that serves towns and an archive to `someone`, and an endless response below `/slow/`.
 */
function startSource(test: TestContext): Promise<string> {
  const right = `Basic ${Buffer.from(`someone:${secret}`).toString('base64')}`
  return startWebServer(test, ({ url = '', headers }, reply) => {
    if (url.startsWith('/open/')) reply.end(towns)
    else if (url.startsWith('/slow/')) reply.write(towns.subarray(0, 10))
    else if (headers.authorization !== right) {
      reply.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
    } else if (url.endsWith('.zip')) reply.end(archive)
    else if (url.endsWith('.geojson')) reply.end(towns)
    else reply.writeHead(404).end()
  })
}

function uploadFolders(client: ImporterClient): string[] {
  const root = join(client.server.dataDir, 'uploads')
  if (!existsSync(root)) return []
  return readdirSync(root).flatMap((id) => readdirSync(join(root, id)).map((upload) => `${id}/${upload}`))
}

function postUrl(client: ImporterClient, importId: number, url: string) {
  return client.call('POST', `/${importId}/tasks`, new URLSearchParams({ url }).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
}

async function untilFetching(client: ImporterClient, importId: number): Promise<Json> {
  for (;;) {
    const { json } = await client.call('GET', `/${importId}`)
    if (json.import?.fetch !== undefined) return json.import as Json
    await sleep(20)
  }
}

describe('an import of remote data', () => {
  it('goes from INIT to PENDING by itself, an archive unpacked, and runs to COMPLETE', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    const data = { type: 'remote', location: `${base}/utf.zip`, username: 'someone', password: secret }
    const created = await client.call('POST', '?async=true', { import: { data } })
    assert.equal(created.status, 201)
    assert.equal(created.json.import?.state, 'INIT')
    const { href } = created.json.import?.data ?? {}
    assert.deepEqual(created.json.import?.data, { ...data, password: '********', href })
    const prepared = await untilPrepared(client, 0)
    assert.equal(prepared.state, 'PENDING')
    assert.deepEqual(statesOf(prepared), ['READY'])
    assert.equal((await client.call('POST', '/0?async=true')).status, 204)
    for (let state = ''; state !== 'COMPLETE'; await sleep(30)) {
      state = String((await client.call('GET', '/0')).json.import?.state)
      assert.ok(['RUNNING', 'COMPLETE'].includes(state), state)
    }
    assert.ok((await countFeatures(client, 'default:utf')) > 0)
  })

  it('keeps its type and location, and lists what came', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    await importRemote(client, { location: `${base}/open/towns.geojson`, charset: 'UTF-8' })
    const { json } = await client.call('GET', '/0/data?expand=all')
    assert.equal(json.type, 'remote')
    assert.equal(json.location, `${base}/open/towns.geojson`)
    assert.equal(json.format, 'GeoJSON')
    assert.equal(json.charset, 'UTF-8')
    assert.equal(listOf(json.files)[0]?.file, 'towns.geojson')
    const files = await client.call('GET', '/0/data/files')
    assert.equal(listOf(files.json.files).length, 1)
  })

  it('that cannot be fetched is an INIT_ERROR with a message, and is fetched again when it is run', async (test) => {
    const client = await startFetcher(test)
    let isThere = false
    const base = await startWebServer(test, (_request, reply) => {
      if (isThere) reply.end(towns)
      else reply.writeHead(404).end()
    })
    const failed = await importRemote(client, { location: `${base}/towns.geojson` })
    assert.equal(failed.state, 'INIT_ERROR')
    assert.equal(
      failed.message,
      `${base}/towns.geojson could not be fetched: the server responds 404 Not Found`,
    )
    assert.deepEqual(uploadFolders(client), [])
    isThere = true
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await client.call('GET', '/0')).json.import?.state, 'PENDING')
  })

  it('from an address that is not allowed is an INIT_ERROR that names the setting', async (test) => {
    const client = await startImporter(test)
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '169.254.169.254', '10.0.0.1']) {
      const { state, message } = await importRemote(client, { location: `http://${host}:1/x` })
      assert.equal(state, 'INIT_ERROR')
      assert.match(String(message), /TERRANE_REMOTE_ALLOW/)
    }
  })

  it('needs the file of authorities that the settings name', async () => {
    const missing = createTestApp({ env: { TERRANE_REMOTE_CA: '/nowhere/ca.pem' } })
    await assert.rejects(missing, /TERRANE_REMOTE_CA cannot be read/)
  })

  it('from this server itself is refused even when its address is allowed', async (test) => {
    const client = await startFetcher(test, { TERRANE_REMOTE_ALLOW: '127.0.0.0/8, ::1' })
    const { port } = new URL(await client.server.app.listen({ host: '127.0.0.1', port: 0 }))
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', '[::ffff:127.0.0.1]', '127.0.0.9']) {
      const { state, message } = await importRemote(client, { location: `http://${host}:${port}/health` })
      assert.equal(state, 'INIT_ERROR')
      assert.match(String(message), /that is this server itself/)
    }
  })

  it('with a location that nothing can be fetched from is not created', async (test) => {
    const client = await startFetcher(test)
    for (const location of [
      'gopher://host/x',
      'http://',
      'ftp://host/a%0ab',
      'file:///etc/passwd',
      '/etc',
      '',
    ]) {
      const { status, text } = await client.call('POST', '', {
        import: { data: { type: 'remote', location, username: 'u', password: secret } },
      })
      assert.equal(status, 400, location)
      assert.ok(!text.includes(secret))
    }
    const control = { location: 'ftp://host/x', username: 'a\r\nDELE b' }
    const { status } = await client.call('POST', '', { import: { data: { type: 'remote', ...control } } })
    assert.equal(status, 400)
    assert.deepEqual(listOf((await client.call('GET', '')).json.imports), [])
  })

  it('with a file: location inside an import root reads the file where it lies', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson', 'towns.geojson')
    const location = `file://${client.server.dataDir}/incoming/towns.geojson`
    const imported = await importRemote(client, { location })
    assert.deepEqual(statesOf(imported), ['READY'])
    assert.equal(imported.data?.type, 'remote')
    assert.equal(imported.data?.location, location)
  })

  it('tells how far the fetch is, to those who ask and to those who listen', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    const data = { type: 'remote', location: `${base}/slow/towns.geojson` }
    await client.call('POST', '?async=true', { import: { data } })
    const { fetch } = await untilFetching(client, 0)
    assert.deepEqual(fetch, { file: 'towns.geojson', bytes: 10, total: -1 })
    const news = client.server.importer.progress.newsSince(0, 0)
    assert.ok(news.some((one) => one.news.type === 'fetch'))
    await client.call('DELETE', '/0')
  })

  it('is stopped by a cancel, and goes with its files when it is deleted', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    const data = { type: 'remote', location: `${base}/slow/towns.geojson` }
    for (const id of [0, 1]) {
      await client.call('POST', '?async=true', { import: { data } })
      await untilFetching(client, id)
    }
    assert.equal((await client.call('DELETE', '/0/run')).status, 204)
    assert.equal((await untilPrepared(client, 0)).state, 'INIT_ERROR')
    assert.equal((await client.call('DELETE', '/1')).status, 200)
    assert.equal((await client.call('GET', '/1')).status, 404)
    assert.deepEqual(uploadFolders(client), [])
  })
})

describe('a form with a remote url', () => {
  it('makes tasks of what is fetched, with credentials in the url', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    await client.call('POST', '', {})
    const url = `${base.replace('//', `//someone:${encodeURIComponent(secret)}@`)}/towns.geojson`
    const { status, json, text } = await postUrl(client, 0, url)
    assert.equal(status, 201, text)
    assert.equal(json.task?.state, 'READY')
    assert.ok(!text.includes(encodeURIComponent(secret)))
  })

  it('that cannot be fetched is a 400 and keeps nothing', async (test) => {
    const client = await startFetcher(test, { TERRANE_REMOTE_TRIES: '1' })
    const base = await startSource(test)
    await client.call('POST', '', {})
    const broken = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-length': 5 }).write('x', () => reply.destroy())
    })
    for (const url of [
      `${base}/towns.geojson`,
      `${broken}/x`,
      'http://10.0.0.1/x',
      'gopher://x/y',
      'ftp://127.0.0.1:1/x',
    ]) {
      const { status } = await postUrl(client, 0, url)
      assert.equal(status, 400, url)
    }
    const { json } = await client.call('GET', '/0')
    assert.equal(json.import?.state, 'PENDING')
    assert.equal(json.import?.fetch, undefined)
    assert.deepEqual(listOf(json.import?.tasks), [])
    assert.deepEqual(uploadFolders(client), [])
  })

  it('ends when the import is deleted meanwhile', async (test) => {
    const client = await startFetcher(test)
    const base = await startSource(test)
    await client.call('POST', '', {})
    const waiting = postUrl(client, 0, `${base}/slow/x.geojson`)
    await untilFetching(client, 0)
    assert.equal((await client.call('DELETE', '/0')).status, 200)
    assert.equal((await waiting).status, 409)
    assert.deepEqual(uploadFolders(client), [])
  })
})

describe('the password of remote data', () => {
  it('stands in no answer, event, log line or file, and is gone when the import is complete', async (test) => {
    const output: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void output.push(line) })
    const client = await startImporter(test, { log, env: { TERRANE_REMOTE_ALLOW: '127.0.0.1' } })
    const base = await startSource(test)
    const inUrl = base.replace('//', `//someone:${encodeURIComponent(secret)}@`)
    const answers = [
      await client.call('POST', '', {
        import: {
          data: { type: 'remote', location: `${base}/utf.zip`, username: 'someone', password: secret },
        },
      }),
      await client.call('POST', '', { import: { data: { type: 'remote', location: `${inUrl}/none` } } }),
      await postUrl(client, 0, `${inUrl}/none`),
    ]
    for (const path of ['', '?expand=all', '/0?expand=all', '/0/data', '/1', '/0/tasks/0?expand=all']) {
      answers.push(await client.call('GET', path))
    }
    assert.equal(answers[4]?.json.imports?.[1]?.data?.password, '********')
    const sealed = async (): Promise<boolean> => {
      const { kysely } = client.server.database
      const row = await kysely.selectFrom('imports').select('document').where('id', '=', 0).executeTakeFirst()
      return row?.document.includes('sealedPassword') ?? false
    }
    assert.ok(await sealed())
    answers.push(await client.call('POST', '/0'), await client.call('GET', '/0?expand=all'))
    assert.equal(answers.at(-1)?.json.import?.state, 'COMPLETE')
    assert.ok(!(await sealed()))
    const news = JSON.stringify([0, 1].map((id) => client.server.importer.progress.newsSince(id, 0)))
    const files = readTree(client.server.dataDir).map(({ bytes }) => bytes.toString('latin1'))
    const heard = [...answers.map((one) => one.text), ...output, news, ...files]
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
    for (const form of [...forms, Buffer.from(`someone:${secret}`).toString('base64')]) {
      assert.ok(!heard.some((text) => text.includes(form)))
    }
  })
})
