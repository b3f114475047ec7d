import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rasterInfo } from './gdal-session.ts'
import type { Answer, ImporterClient, Json } from './importer-client.ts'
import { listOf } from './importer-client.ts'

export const rgbRaster = readFileSync('tests/fixtures/raster/RGB.byte.tif')

/** An import with a workspace alone and a raster uploaded to it as task 0; gives its id. */
export async function uploadRaster(
  client: ImporterClient,
  { content = rgbRaster, transforms = [] }: { content?: Uint8Array; transforms?: object[] } = {},
): Promise<number> {
  const created = await client.call('POST', '', {
    import: { targetWorkspace: { workspace: { name: 'default' } }, transforms },
  })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const uploaded = await client.upload(id, [{ name: 'scene.tif', content }])
  assert.equal(uploaded.status, 201, uploaded.text)
  return id
}

export function postTransform(client: ImporterClient, id: number, transform: unknown): Promise<Answer> {
  return client.call('POST', `/${id}/tasks/0/transforms`, transform)
}

/** Appends each to the chain of task 0. */
export async function appendTransforms(
  client: ImporterClient,
  id: number,
  ...transforms: object[]
): Promise<void> {
  for (const transform of transforms) {
    const answer = await postTransform(client, id, transform)
    assert.equal(answer.status, 201, answer.text)
  }
}

export async function readTask(client: ImporterClient, id: number): Promise<Json> {
  const { json } = await client.call('GET', `/${id}/tasks/0`)
  assert.ok(json.task)
  return json.task
}

/** Returns the path of the file that the published layer of task 0 reads. */
export async function publishedPath(client: ImporterClient, id: number): Promise<string> {
  const { json } = await client.call('GET', `/${id}/tasks/0/target`)
  const entries = listOf<Record<string, string>>(json.coverageStore?.connectionParameters?.entry)
  return entries.find((entry) => entry['@key'] === 'path')?.$ ?? ''
}

/** Returns the `gdalinfo` report of a file. */
export function gdalInfo(path: string): Json {
  return rasterInfo<Json>(path)
}
