import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { writeHead } from '../../tiles/rows/row-directory.ts'
import { SideFiles } from './side-files.ts'

const layer = { id: 5, version: 3, versionCause: 'import' } as const

describe('files beside the data of a layer', () => {
  it('are not found where they are row files of another layout', async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'terrane-side-'))
    t.after(() => rmSync(root, { recursive: true, force: true }))
    mkdirSync(join(root, '5'))
    const path = join(root, '5', '3.rows')
    const files = new SideFiles(root)
    const head = Buffer.from(writeHead({ chunks: 0, directoryAt: 32, sizeBytes: 40 }))
    const rest = Buffer.alloc(8)
    assert.equal(await files.find(layer, 3, 'rows'), undefined)
    writeFileSync(path, Buffer.concat([head, rest]))
    assert.equal(await files.find(layer, 3, 'rows'), path)
    for (const other of [head.fill(1, 8, 9), Buffer.alloc(40), Buffer.alloc(3), Buffer.alloc(0)]) {
      writeFileSync(path, other)
      assert.equal(await files.find(layer, 3, 'rows'), undefined)
    }
  })
})
