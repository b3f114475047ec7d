import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { TestApp } from './app.ts'
import { clientOf } from './importer-client.ts'

/** Loads a file with one layer into a store of the default workspace, as the layer of this name. */
export async function loadFile(
  server: TestApp,
  path: string,
  { store, name, updateMode = 'CREATE' }: { store: string; name: string; updateMode?: string },
): Promise<void> {
  const client = clientOf(server)
  const target = {
    targetWorkspace: { workspace: { name: 'default' } },
    targetStore: { dataStore: { name: store } },
  }
  const id = Number((await client.call('POST', '', { import: target })).json.import?.id)
  await client.upload(id, [{ name: basename(path), content: readFileSync(path) }])
  const task = { updateMode, layer: { name } }
  assert.equal((await client.call('PUT', `/${id}/tasks/0`, { task })).status, 200)
  await client.call('POST', `/${id}`)
  const done = await client.call('GET', `/${id}`)
  assert.equal(String(done.json.import?.state), 'COMPLETE', done.text)
}
