import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { ImporterClient } from './importer-client.ts'
import { uploadRaster } from './raster-imports.ts'

/** The layer that `uploadScene` makes. */
export const scene = 'default:scene'

/** Uploads a raster and runs its task, with changes of the task. */
export async function uploadScene(
  client: ImporterClient,
  content?: Uint8Array,
  task?: object,
): Promise<void> {
  const id = await uploadRaster(client, content === undefined ? {} : { content })
  if (task !== undefined) await client.call('PUT', `/${id}/tasks/0`, { task })
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
}

/** Returns the digest of the layer's file as a client downloads it. */
export async function shown({ server }: ImporterClient, name = scene): Promise<string> {
  const url = `/ogc/collections/${name}/file/${name.split(':')[1]}.tif`
  const reply = await server.app.inject({ url, headers: server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return digest(reply.rawPayload)
}

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
