import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { getImport, saveImport } from '../../../src/importer/records/import-repository.ts'
import { runJob } from '../../../src/importer/run/start-run.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { zipOf } from '../../support/archives.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf, startImporter } from '../../support/importer-client.ts'
import { temporaryFolder, unpack } from '../../support/unpacking.ts'

const geojson = readFileSync('tests/fixtures/geojson/valid.geojson')
const shapefile = (ending: string): Buffer => readFileSync(`tests/fixtures/shapefile/utf.${ending}`)

function archivesOf(client: ImporterClient): string[] {
  return readdirSync(join(client.server.dataDir, 'archives')).sort()
}

/** The files in an import's only archive. */
async function namesInArchive(test: TestContext, client: ImporterClient): Promise<string[]> {
  const [name = '', ...more] = archivesOf(client)
  assert.deepEqual(more, [])
  const bytes = readFileSync(join(client.server.dataDir, 'archives', name))
  return Object.keys(await unpack(test, 'a.zip', bytes)).sort()
}

async function create(client: ImporterClient, body: object = {}): Promise<number> {
  const answer = await client.call('POST', '', { import: { archive: true, ...body } })
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.json.import?.archive as unknown, true)
  return Number(answer.json.import?.id)
}

async function run(client: ImporterClient, id: number): Promise<Json> {
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const answer = await client.call('GET', `/${id}`)
  assert.ok(answer.json.import)
  return answer.json.import
}

/** Leaves import 0 as a server would that was killed when its tasks were complete and its archive half written. */
async function pretendKilled(server: TestApp): Promise<void> {
  const { kysely } = server.database
  const job = { kind: runJob, key: 'import 0', payload: { importId: 0 } }
  const jobId = await server.importer.jobs.enqueue(kysely, job)
  const at = '2026-01-01T00:00:00.000Z'
  await kysely
    .updateTable('jobs')
    .set({ state: 'running', attempts: 1, lease_owner: 'dead', lease_until: at })
    .where('id', '=', jobId)
    .execute()
  const record = await getImport(kysely, 0)
  await saveImport(kysely, { ...record, state: 'RUNNING', isArchived: true, jobId }, at)
  writeFileSync(join(server.dataDir, 'archives', `import-0-run-${jobId}.zip.part`), 'half')
}

describe('archive: true', () => {
  it('keeps a zip of an upload with its sidecars under the names that the client sent', async (test) => {
    const client = await startImporter(test)
    const id = await create(client)
    const parts = ['shp', 'shx', 'dbf', 'prj', 'cpg'].map((ending) => ({
      name: `utf.${ending}`,
      content: shapefile(ending),
    }))
    await client.upload(id, [...parts, { name: 'notes.xyzzy', content: 'no data\0' }])
    await client.upload(id, [{ name: 'a.zip', content: await zipOf({ 'sub/points.geojson': geojson }) }])
    assert.deepEqual(archivesOf(client), [])
    assert.equal((await run(client, id)).state, 'COMPLETE')
    assert.deepEqual(archivesOf(client).length, 1)
    assert.match(archivesOf(client)[0] ?? '', new RegExp(`^import-${id}-run-\\d+\\.zip$`))
    const expected = [...parts.map(({ name }) => name), 'sub/points.geojson'].sort()
    assert.deepEqual(await namesInArchive(test, client), expected)
    assert.equal(existsSync(join(client.server.dataDir, 'uploads', String(id))), false)
  })

  it('only reads a file in an import root', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    const id = await create(client, { data: { type: 'file', file: 'valid.geojson' } })
    assert.equal((await run(client, id)).state, 'COMPLETE')
    assert.deepEqual(await namesInArchive(test, client), ['valid.geojson'])
    assert.deepEqual(readdirSync(join(client.server.dataDir, 'incoming')), ['valid.geojson'])
  })

  it('writes another zip for what a later run brings, and none before all tasks are complete', async (test) => {
    const client = await startImporter(test)
    const id = await create(client)
    await client.upload(id, [
      { name: 'a.geojson', content: geojson },
      { name: 'b.csv', content: 'x,y\n1,2\n' },
    ])
    assert.equal((await run(client, id)).state, 'PENDING')
    assert.deepEqual(archivesOf(client), [])
    await client.call('PUT', `/${id}/tasks/1/layer`, { layer: { srs: 'EPSG:4326' } })
    assert.equal((await run(client, id)).state, 'COMPLETE')
    assert.deepEqual(await namesInArchive(test, client), ['a.geojson', 'b.csv'])
    await client.upload(id, [{ name: 'c.geojson', content: geojson }])
    assert.equal((await run(client, id)).state, 'COMPLETE')
    assert.equal(archivesOf(client).length, 2)
  })

  it('is a message where the zip cannot be written, and the import is complete all the same', async (test) => {
    const client = await startImporter(test)
    const id = await create(client)
    await client.upload(id, [{ name: 'a.geojson', content: geojson }])
    const folder = join(client.server.dataDir, 'archives')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'in the way')
    const record = await run(client, id)
    assert.equal(record.state, 'COMPLETE')
    const messages = listOf<{ code: string; message: string }>(record.messages)
    const message = messages.find(({ code }) => code === 'archive-not-written')
    assert.match(String(message?.message), /The zip of the source was not written: .+/)
  })

  it('writes none without it, and the deletion of the import leaves the zip', async (test) => {
    const client = await startImporter(test)
    const plain = await client.call('POST', '', { import: {} })
    const plainId = Number(plain.json.import?.id)
    await client.upload(plainId, [{ name: 'a.geojson', content: geojson }])
    assert.equal((await run(client, plainId)).state, 'COMPLETE')
    assert.deepEqual(archivesOf(client), [])
    const id = await create(client)
    await client.upload(id, [{ name: 'a.geojson', content: geojson }])
    await run(client, id)
    await client.call('DELETE', `/${id}`)
    assert.deepEqual(await namesInArchive(test, client), ['a.geojson'])
  })

  it('is written by the next start where the server died before that', async (test) => {
    const dataDir = await temporaryFolder(test)
    const first = await createTestApp({ dataDir })
    const before = clientOf(first)
    before.provide('geojson/valid.geojson')
    const answer = await before.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'valid.geojson' } },
    })
    assert.equal(answer.status, 201)
    assert.deepEqual(archivesOf(before), [])
    await pretendKilled(first)
    await first.close()
    const second = await createTestApp({ dataDir })
    test.after(() => second.close())
    const after = clientOf(second)
    for (let state = ''; state !== 'COMPLETE'; await delay(25)) {
      state = String((await after.call('GET', '/0')).json.import?.state)
    }
    assert.deepEqual(await namesInArchive(test, after), ['valid.geojson'])
  })
})
