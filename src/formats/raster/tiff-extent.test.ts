import assert from 'node:assert/strict'
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gdal } from '../../../tests/support/rasters.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { FormatError } from '../format.ts'
import { checkTiffExtent } from './tiff-extent.ts'

const { signal } = new AbortController()

const forms = {
  strips: [],
  tiles: ['-co', 'TILED=YES', '-co', 'BLOCKXSIZE=32', '-co', 'BLOCKYSIZE=32'],
  'compressed tiles': [
    '-co',
    'TILED=YES',
    '-co',
    'BLOCKXSIZE=32',
    '-co',
    'BLOCKYSIZE=32',
    '-co',
    'COMPRESS=DEFLATE',
  ],
  'a BigTIFF': ['-co', 'BIGTIFF=YES'],
  'the other byte order': ['-co', 'ENDIANNESS=BIG'],
  'a sparse file': ['-co', 'SPARSE_OK=TRUE'],
  'a COG with overviews': ['-of', 'COG', '-co', 'BLOCKSIZE=128', '-co', 'OVERVIEWS=IGNORE_EXISTING'],
}

describe('a TIFF', () => {
  for (const [name, options] of Object.entries(forms)) {
    it(`with ${name} is whole, and not when its last bytes are missing`, async (test) => {
      const folder = temporaryFolder(test)
      const [source, path] = [join(folder, 'source.tif'), join(folder, 'made.tif')]
      gdal('gdal_create', '-q', '-outsize', '700', '700', '-bands', '2', '-burn', '7', source)
      gdal('gdal_translate', '-q', ...options, source, path)
      await checkTiffExtent(path, signal)
      if (name === 'a sparse file') return
      truncateSync(path, Math.floor(statSync(path).size * 0.6))
      await assert.rejects(
        checkTiffExtent(path, signal),
        (error) =>
          error instanceof FormatError &&
          error.code === 'truncated' &&
          /block \d+ of \d+ /.test(error.message),
      )
    })
  }

  it('of the fixtures is whole', async () => {
    const folder = join(import.meta.dirname, '../../../tests/fixtures/raster')
    const names = readdirSync(folder).filter((name) => /\.tiff?$/.test(name))
    assert.ok(names.length > 0)
    for (const name of names) await checkTiffExtent(join(folder, name), signal)
  })
})
