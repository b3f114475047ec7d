import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import {
  appendTransforms,
  gdalInfo,
  publishedPath,
  readTask,
  rgbRaster,
  uploadRaster,
} from '../../support/raster-imports.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const warp = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857', '-r', 'bilinear'] }
const overview = { type: 'RasterOverviewTransform', options: ['-r', 'average'], levels: [2, 4] }

/** Replaces one of GDAL's programs by a script for one test. */
function replaceProgram(test: TestContext, name: string, script: string): void {
  const folder = temporaryFolder(test)
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  const { PATH } = process.env
  process.env.PATH = `${folder}${delimiter}${PATH}`
  test.after(() => {
    process.env.PATH = PATH
  })
}

/**
 * Returns the files and folders that the server stores for published layers, and the folders of links for the
 * tools.
 */
function leftovers(client: ImporterClient): string[] {
  const stores = join(client.server.dataDir, 'stores', 'default')
  return existsSync(stores) ? readdirSync(stores, { recursive: true }).map(String) : []
}

async function waitFor(
  client: ImporterClient,
  path: string,
  isReached: (json: Json) => boolean,
): Promise<Json> {
  for (;;) {
    const { json } = await client.call('GET', path)
    if (isReached(json)) return json
    await sleep(20)
  }
}

describe('a chain of raster tools that goes wrong', () => {
  it('makes the task ERROR with what the tool said, leaves nothing, and runs again when it is mended', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp, { type: 'RasterTranslateTransform', options: ['-b', '9'] })
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const failed = await readTask(client, id)
    assert.equal(failed.state, 'ERROR')
    assert.match(String(failed.errorMessage), /^RasterTranslateTransform: gdal_translate failed: .*9/)
    assert.ok(!String(failed.errorMessage).includes(tmpdir()))
    assert.deepEqual(leftovers(client), [])
    await client.call('PUT', `/${id}/tasks/0/transforms/1`, { options: ['-b', '2'] })
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal((await readTask(client, id)).state, 'COMPLETE')
    assert.equal(listOf(gdalInfo(await publishedPath(client, id)).bands).length, 1)
  })

  it('leaves the published layer as it was where it should replace it', async (test) => {
    const client = await startImporter(test)
    const first = await uploadRaster(client)
    assert.equal((await client.call('POST', `/${first}`)).status, 204)
    const before = await publishedPath(client, first)
    const second = await uploadRaster(client)
    await appendTransforms(client, second, { type: 'RasterTranslateTransform', options: ['-b', '9'] })
    await client.call('PUT', `/${second}/tasks/0`, { updateMode: 'REPLACE' })
    await client.call('POST', `/${second}`)
    assert.equal((await readTask(client, second)).state, 'ERROR')
    assert.deepEqual(readFileSync(before), rgbRaster)
  })

  it('is ended by the time limit', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_MAX_TOOL_SECONDS: '1' } })
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp)
    replaceProgram(test, 'gdalwarp', 'exec sleep 1000')
    await client.call('POST', `/${id}`)
    assert.match(String((await readTask(client, id)).errorMessage), /longer than the 1 s/)
    assert.deepEqual(leftovers(client), [])
  })

  it('is ended by the limit on disk space', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_MAX_RASTER: '1MiB' } })
    const id = await uploadRaster(client)
    await appendTransforms(client, id, {
      type: 'RasterTranslateTransform',
      options: ['-outsize', '9000', '9000'],
    })
    await client.call('POST', `/${id}`)
    assert.match(String((await readTask(client, id)).errorMessage), /TERRANE_MAX_RASTER/)
    assert.deepEqual(leftovers(client), [])
  })

  it('says which package to install where the tool has gone', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp)
    const { PATH } = process.env
    process.env.PATH = temporaryFolder(test)
    test.after(() => {
      process.env.PATH = PATH
    })
    await client.call('POST', `/${id}`)
    assert.match(String((await readTask(client, id)).errorMessage), /gdalwarp.*gdal-bin/)
  })
})

describe('a running chain of raster tools', () => {
  /** Tool that reports its progress and then waits forever. */
  const stuck = 'echo "0...10...20...30...40...50..."; exec sleep 1000'

  it('tells bytes of the source as its progress, and the phase, to those who ask and to those who listen', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp, overview)
    replaceProgram(test, 'gdalwarp', stuck)
    await client.call('POST', `/${id}?async=true`)
    const path = `/${id}/tasks/0/progress`
    const progress = await waitFor(client, path, ({ progress: bytes }) => Number(bytes) > 0)
    assert.equal(progress.phase, 'transforming')
    assert.equal(progress.total, rgbRaster.length)
    const share = Number(progress.progress) / rgbRaster.length
    assert.ok(share > 0.2 && share < 0.5, String(share))
    const news = client.server.importer.progress.newsSince(id, 0)
    assert.ok(news.some(({ news: one }) => one.type === 'progress' && one.progress.phase === 'transforming'))
    await client.call('DELETE', `/${id}/run`)
  })

  it('stops when it is canceled, leaves nothing, and can run again', async (test) => {
    const client = await startImporter(test)
    const id = await uploadRaster(client)
    await appendTransforms(client, id, warp)
    const { PATH } = process.env
    replaceProgram(test, 'gdalwarp', stuck)
    await client.call('POST', `/${id}?async=true`)
    await waitFor(client, `/${id}/tasks/0/progress`, ({ progress }) => Number(progress) > 0)
    assert.equal((await client.call('DELETE', `/${id}/tasks/0/run`)).status, 204)
    const isCanceled = ({ task }: Json): boolean => String(task?.state) === 'CANCELED'
    await waitFor(client, `/${id}/tasks/0`, isCanceled)
    assert.deepEqual(leftovers(client), [])
    process.env.PATH = PATH
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal((await readTask(client, id)).state, 'COMPLETE')
  })
})
