import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { startTerrane } from '../../support/terrane-process.ts'

const password = 'stopped-after-a-load'
const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
const json = { ...headers, 'content-type': 'application/json' }
const starts = 4

async function ask<T>(url: string, init: RequestInit = {}): Promise<T> {
  const reply = await fetch(url, { headers, ...init })
  const text = await reply.text()
  assert.ok(reply.ok, text)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

async function importTrees(url: string): Promise<void> {
  const imports = `${url}/rest/imports`
  const made = await ask<{ import: { id: number } }>(imports, {
    method: 'POST',
    headers: json,
    body: '{"import":{}}',
  })
  const place = `${imports}/${made.import.id}`
  const form = new FormData()
  form.append('filedata', new Blob(['id,lat,lon\n1,52,13\n2,52.1,13.1\n']), 'trees.csv')
  await ask(`${place}/tasks`, { method: 'POST', body: form })
  const transforms = [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }]
  const task = { layer: { srs: 'EPSG:4326' }, transformChain: { type: 'vector', transforms } }
  await ask(`${place}/tasks/0`, { method: 'PUT', headers: json, body: JSON.stringify({ task }) })
  await ask(place, { method: 'POST' })
}

it('a server that is stopped right behind a load finds no change by others when it starts again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-stop-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (let start = 0; start < starts; start += 1) {
    const server = startTerrane(t, ['serve'], {
      TERRANE_DATA: folder,
      TERRANE_PORT: '0',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_LOG: 'error',
      TERRANE_SAMPLE: 'off',
    })
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await server.line(/127\.0\.0\.1:\d+/))?.[0] ?? ''
    if (start > 0) {
      const { versions } = await ask<{ versions: { cause: string }[] }>(
        `${url}/rest/layers/default:trees/versions`,
      )
      assert.deepEqual(
        versions.map(({ cause }) => cause),
        ['import'],
        `start ${start}`,
      )
    }
    await importTrees(url)
    // Checked while the log of the load is next to the file and nothing reads the file.
    await ask(`${url}/rest/layers/default:trees/versions`)
    server.signal('SIGTERM')
    await server.ended
  }
})
