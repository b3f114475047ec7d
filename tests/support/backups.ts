import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listOf } from './importer-client.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import { pointsText, provideFile } from './slow-sources.ts'
import type { Cleanup, Ended } from './terrane-process.ts'
import { runTerrane, temporaryData } from './terrane-process.ts'

export const passphrase = 'correct horse battery'
const rows = 40_000

/** All layers with all values of their features, in order. */
async function readLayers(server: TestServer): Promise<Record<string, unknown>> {
  const { json } = await server.call('GET', '/rest/layers')
  const layers: Record<string, unknown> = {}
  for (const { name } of listOf(json.layers?.layer)) {
    const path = `/ogc/collections/${String(name)}`
    const about = await server.call('GET', path)
    const isVector = about.text.includes('/items')
    const items = isVector ? await server.call('GET', `${path}/items?limit=10000`) : undefined
    const download = await server.call('GET', `${path}/download?f=${isVector ? 'csv' : 'tif'}`)
    assert.equal(download.status, 200, `${name}: ${download.text.slice(0, 300)}`)
    layers[String(name)] = { items: items?.json['features'], rows: download.text }
  }
  return layers
}

async function importFile(server: TestServer, file: string, more: object = {}): Promise<number> {
  const body = { import: { data: { type: 'file', file }, ...more } }
  const { status, json, text } = await server.call('POST', '/rest/imports', body)
  assert.equal(status, 201, text)
  return Number(json.import?.id)
}

export interface BackupCase {
  /** Settings of the server that is backed up. */
  env: Record<string, string>
  /** Settings of the restored server. */
  restoredEnv: Record<string, string>
  /** Name of the target: a folder or an archive. */
  target: string
  /** Parameters of a store with a password. */
  store: Record<string, unknown>
}

/**
 * Backs up a server during an import and edits, restores elsewhere, and compares every value of every layer. The import that
 * ran becomes complete at the restored server, and the key decrypts the password of a store.
 */
export async function backUpAndRestore(
  t: Cleanup,
  { env, restoredEnv, target, store }: BackupCase,
): Promise<void> {
  const dataDir = temporaryData(t)
  const backup = join(temporaryData(t), target)
  const server = await startServer(t, dataDir, { TERRANE_MONITORING: 'on', ...env })
  provideFile(dataDir, 'towns.geojson', pointsText(500))
  provideFile(dataDir, 'many.geojson', pointsText(rows))
  const made = await server.call('POST', '/rest/workspaces/default/datastores', { dataStore: store })
  assert.equal(made.status, 201, made.text)
  for (const target of ['towns', 'pg-towns']) {
    const name = String(store['name'])
    const more = target === 'towns' ? {} : { targetStore: { dataStore: { name } } }
    const id = await importFile(server, 'towns.geojson', more)
    assert.equal((await server.call('POST', `/rest/imports/${id}`)).status, 204)
  }
  const running = await importFile(server, 'many.geojson')
  const isLoading = await server.watch(running)
  await server.call('POST', `/rest/imports/${running}?async=true`)
  assert.ok(await isLoading(/"phase":"loading","progress":[1-9]/))
  const edits = editUntil(server)
  const done = await runTerrane(t, ['backup', backup], {
    ...env,
    TERRANE_DATA: dataDir,
    TERRANE_BACKUP_PASSPHRASE: passphrase,
  })
  const edited = await edits.stop()
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /has the backup: \d+ files, .* encrypted with TERRANE_BACKUP_PASSPHRASE/)
  refuseSecrets(done, env)
  assert.ok(edited > 0)
  await server.importIn(running, ['COMPLETE'])
  const before = await readLayers(server)
  await server.stop()

  const restoredDir = join(temporaryData(t), 'elsewhere')
  const settings = { ...restoredEnv, TERRANE_DATA: restoredDir, TERRANE_BACKUP_PASSPHRASE: passphrase }
  const wrong = await runTerrane(t, ['restore', backup], {
    ...settings,
    TERRANE_BACKUP_PASSPHRASE: 'another one',
  })
  assert.deepEqual([wrong.code, existsSync(restoredDir)], [1, false], wrong.stderr)
  assert.match(wrong.stderr, /The passphrase is not the one/)
  const restored = await runTerrane(t, ['restore', backup], settings)
  assert.equal(restored.code, 0, restored.stderr)
  refuseSecrets(restored, restoredEnv)
  const again = await runTerrane(t, ['restore', backup], settings)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /is not empty/)
  assert.deepEqual(
    readdirSync(restoredDir).filter((name) => name.startsWith('.restoring')),
    [],
  )

  provideFile(restoredDir, 'many.geojson', pointsText(rows))
  const second = await startServer(t, restoredDir, restoredEnv)
  const state = await second.importIn(running, ['COMPLETE', 'COMPLETE_ERROR', 'PENDING', 'READY'])
  assert.ok(['COMPLETE', 'COMPLETE_ERROR'].includes(String(state.state)), JSON.stringify(state))
  const after = await readLayers(second)
  assert.deepEqual(
    Object.keys(after)
      .filter((name) => !name.includes('many'))
      .sort(),
    Object.keys(before)
      .filter((name) => !name.includes('many'))
      .sort(),
  )
  assert.deepEqual(compareUnedited(after), compareUnedited(before))
  if (String(state.state) === 'COMPLETE') assert.deepEqual(after['default:many'], before['default:many'])
  assert.equal((await second.call('GET', '/rest/imports')).status, 200)
  await second.stop()
}

/** Layers without the one that is edited while the backup is made, of which only the number of rows is fixed. */
function compareUnedited(layers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(layers).flatMap(([name, layer]) => {
      if (name === 'default:many') return []
      if (name !== 'default:towns') return [[name, layer]]
      return [[name, (layer as { items: unknown[] }).items.length]]
    }),
  )
}

/** Edits a feature again and again until `stop`, which returns the number of edits. */
function editUntil(server: TestServer): { stop(): Promise<number> } {
  let isStopped = false
  let count = 0
  const work = (async () => {
    while (!isStopped) {
      const { json } = await server.call('GET', '/ogc/collections/default:towns/items?limit=1')
      const [feature] = listOf(json['features'])
      const path = `/ogc/collections/default:towns/items/${String(feature?.['id'])}`
      const { status, text } = await server.call('PUT', path, {
        type: 'Feature',
        properties: { row: count },
        geometry: { type: 'Point', coordinates: [1, 2] },
      })
      assert.ok([200, 204].includes(status), text)
      count += 1
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await work
      return count
    },
  }
}

function refuseSecrets({ stdout, stderr }: Ended, env: Record<string, string>): void {
  const url = env['TERRANE_DATABASE_URL']
  const secrets = [passphrase, ...(url === undefined ? [] : [new URL(url).password])]
  for (const secret of secrets) assert.ok(!`${stdout}${stderr}`.includes(secret), 'a secret is printed')
}
