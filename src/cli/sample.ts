import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { SessionContext } from './import-context.ts'
import { importFromPath } from './import-session.ts'
import type { RestClient } from './rest-client.ts'
import type { TaskOutcome } from './task-outcome.ts'

const folder = join(import.meta.dirname, '..', '..', 'sample', 'natural-earth')
const packedFolder = join(import.meta.dirname, '..', '..', 'build', 'package', 'sample')
const files = ['countries.geojson', 'states.shp', 'boundary_lines.shp']

/** True if the sample was not imported yet and there are no other data. */
export async function isSampleRequested(client: RestClient, dataDirectory: string): Promise<boolean> {
  if (existsSync(markerFile(dataDirectory))) return false
  const body = await client.get('/rest/imports?limit=1')
  const imports = typeof body === 'object' && body !== null ? Reflect.get(body, 'imports') : undefined
  return Array.isArray(imports) && imports.length === 0
}

/** Imports the bundled sample data into the default workspace as public layers, once for a data directory. */
export async function importSample(context: SessionContext, dataDirectory: string): Promise<TaskOutcome[]> {
  writeFileSync(markerFile(dataDirectory), 'The sample data were imported on the first start.\n')
  const outcomes: TaskOutcome[] = []
  const unpacked = mkdtempSync(join(tmpdir(), 'terrane-sample-'))
  try {
    for (const file of files) {
      const made = await importFromPath(context, sampleFile(file, unpacked), { mode: 'create' })
      for (const { layer, state } of made) if (state === 'COMPLETE') await makePublic(context.client, layer)
      outcomes.push(...made)
    }
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
  return outcomes
}

/** Returns the path of a sample file. The npm package has the largest one compressed, which is unpacked into `unpacked`. */
function sampleFile(name: string, unpacked: string): string {
  const compressed = join(packedFolder, `${name}.br`)
  if (existsSync(join(folder, name)) || !existsSync(compressed)) return join(folder, name)
  const path = join(unpacked, name)
  writeFileSync(path, brotliDecompressSync(readFileSync(compressed)))
  return path
}

/** Makes a sample layer public; its workspace stays private. */
async function makePublic(client: RestClient, layer: string): Promise<void> {
  await client.put(`/rest/layers/${encodeURIComponent(layer)}`, { layer: { public: true } })
}

function markerFile(dataDirectory: string): string {
  return join(dataDirectory, 'sample-imported')
}
