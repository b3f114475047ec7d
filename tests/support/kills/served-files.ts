import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoreDescription } from '../../../src/stores/description.ts'
import { schemaOf, wkb } from '../batches.ts'
import { servedSamples } from '../served-samples.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { temporaryData } from '../terrane-process.ts'
import { writeParts } from './part-files.ts'
import type { KillReport, KillSession, Moment } from './session.ts'
import { endImport, killAt, momentOf, nameOf, seededRandom, shownCount } from './session.ts'

/** Rows of the file that is served, and of what is loaded into its layer. */
const served = 20_000
const added = 15_000
const modes = ['CREATE', 'APPEND', 'REPLACE'] as const
type Mode = (typeof modes)[number]

async function createImport(server: TestServer, file: string, task: object): Promise<number> {
  const { status, json, text } = await server.call('POST', '/rest/imports', {
    import: { data: { type: 'file', file } },
  })
  assert.equal(status, 201, text)
  const id = Number(json.import?.id)
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, { task })
  assert.equal(put.status, 200, put.text)
  return id
}

async function runImport(server: TestServer, id: number): Promise<number> {
  const began = performance.now()
  await server.call('POST', `/rest/imports/${id}?async=true`)
  await server.importIn(id, ['COMPLETE'])
  return performance.now() - began
}

/** One folder of files that are served without import, and the loads into their layers. */
class ServedFiles {
  readonly dataDir: string
  readonly #folder: string
  readonly #description: StoreDescription

  constructor(dataDir: string, description: StoreDescription) {
    this.dataDir = dataDir
    this.#folder = join(dataDir, 'incoming')
    this.#description = description
    writeParts(this.#folder, ['c'])
  }

  /** Publishes a new file without import, in place. */
  publish(server: TestServer, layer: string): Promise<number> {
    const { type, file } = this.#description
    const name = `${layer}.${file?.extension ?? ''}`
    const rows = Array.from({ length: served }, (_, n) => ({
      geometry: wkb('Point', [(n % 1000) / 10, Math.floor(n / 1000) / 10]),
      values: [n],
    }))
    servedSamples[type]?.write(join(this.#folder, name), schemaOf({ number: 'int32' }, 'Point'), rows)
    return createImport(server, name, { layer: { name: layer, srs: 'EPSG:4326' } })
  }

  /** An import that loads rows into the layer of a file. */
  update(server: TestServer, layer: string, mode: Mode): Promise<number> {
    return createImport(server, 'c.shp', { updateMode: mode, layer: { name: layer } })
  }

  /** Returns the content of the files of a layer. */
  contents(layer: string): Record<string, Buffer> {
    const names = readdirSync(this.#folder).filter((name) => name.startsWith(`${layer}.`))
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.#folder, name))]))
  }

  /** Folders of the server's own for the rows of a layer that were moved. */
  movedFolders(layer: string): string[] {
    const folder = join(this.dataDir, 'stores', 'default')
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`${layer}_`)) : []
  }
}

const counts: Record<Mode, { before: number; after: number }> = {
  CREATE: { before: 0, after: served },
  APPEND: { before: served, after: served + added },
  REPLACE: { before: served, after: added },
}

/**
 * Kills servers while they publish a file in place (CREATE, which creates its index), and while they load
 * into such a layer (APPEND, REPLACE), which moves its rows into a file of the server. The original file is
 * never changed.
 */
export async function killServedFiles(
  t: Cleanup,
  description: StoreDescription,
  session: KillSession,
): Promise<KillReport> {
  const files = new ServedFiles(temporaryData(t), description)
  const random = seededRandom(session.seed)
  const report = { before: 0, after: 0 }
  let server = await startServer(t, files.dataDir)
  const publishMs = await runImport(server, await files.publish(server, 'warm'))
  const updateMs = await runImport(server, await files.update(server, 'warm', 'APPEND'))
  for (let number = 0; number < session.kills; number += 1) {
    const mode = modes[number % modes.length] as Mode
    const layer = `layer${number}`
    const published = await files.publish(server, layer)
    if (mode !== 'CREATE') await runImport(server, published)
    const id = mode === 'CREATE' ? published : await files.update(server, layer, mode)
    const contents = files.contents(layer)
    const moment: Moment =
      mode === 'CREATE'
        ? { isAboutCommit: false, ms: random() * publishMs }
        : momentOf(number, session, random, updateMs)
    await killAt(server, id, moment)

    const { before, after } = counts[mode]
    const where = `kill ${number}, ${mode} ${nameOf(moment)}`
    server = await startServer(t, files.dataDir)
    const shown = await shownCount(server, `default:${layer}`)
    assert.ok([before, after].includes(shown), `${where}: ${shown} features, not ${before} or ${after}`)
    report[shown === before ? 'before' : 'after'] += 1
    await endImport(server, id, where)
    assert.equal(await shownCount(server, `default:${layer}`), after, where)
    assert.deepEqual(files.contents(layer), contents, `${where}: the file was changed`)
    const moved = files.movedFolders(layer)
    assert.equal(moved.length, mode === 'CREATE' ? 0 : 1, `${where}: ${moved.join()}`)
  }
  await server.stop()
  return report
}
