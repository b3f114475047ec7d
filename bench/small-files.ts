import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readImport } from '../src/cli/import-views.ts'
import type { SmallResult } from './report.ts'
import { startBenchServer } from './server.ts'

const files = 1000
const singleRuns = 20

/** Measures one small file from POST to COMPLETE, and a directory of a thousand. */
export async function runSmallFiles(folder: string): Promise<SmallResult[]> {
  const directory = smallFiles(join(folder, 'small'))
  const server = await startBenchServer(folder)
  const timeImport = async (data: Record<string, string>): Promise<number> => {
    const start = performance.now()
    const path = `/rest/imports/${readImport(await server.client.post('/rest/imports', { import: { data } })).id}`
    await server.client.post(path)
    const milliseconds = performance.now() - start
    const { state, message } = readImport(await server.client.get(path))
    if (state !== 'COMPLETE') throw new Error(`small files: ${state} ${message ?? ''}`)
    return milliseconds
  }
  try {
    const file = join(directory, 'small0.geojson')
    const single: number[] = []
    for (let run = 0; run < singleRuns; run += 1) single.push(await timeImport({ type: 'file', file }))
    const middle = single.toSorted((a, b) => a - b)[singleRuns / 2] as number
    const each = (await timeImport({ type: 'directory', location: directory })) / files
    return [
      { name: 'one small file, POST to COMPLETE', milliseconds: middle, targetMilliseconds: 100 },
      { name: `each of ${files} small files in a directory`, milliseconds: each, targetMilliseconds: 15 },
    ]
  } finally {
    await server.stop()
  }
}

function smallFiles(directory: string): string {
  if (existsSync(join(directory, `small${files - 1}.geojson`))) return directory
  mkdirSync(directory, { recursive: true })
  for (let at = 0; at < files; at += 1) {
    const features = Array.from({ length: 10 }, (_, row) => ({
      type: 'Feature',
      properties: { name: `place ${row}`, number: at },
      geometry: { type: 'Point', coordinates: [row, at / 20] },
    }))
    const text = JSON.stringify({ type: 'FeatureCollection', features })
    writeFileSync(join(directory, `small${at}.geojson`), text)
  }
  return directory
}
