import assert from 'node:assert/strict'
import { it } from 'node:test'
import { canDecode } from './decode-block.ts'
import type { TiffImage } from './tiff-images.ts'

const image: TiffImage = {
  width: 256,
  height: 256,
  blockWidth: 256,
  blockHeight: 256,
  samples: 1,
  bits: 32,
  kind: 'float',
  compression: 8,
  predictor: 1,
  isPlanar: false,
  photometric: 1,
  extraSamples: [],
  colorMap: undefined,
  jpegTables: undefined,
  offsets: [],
  lengths: [],
  isMask: false,
  isLittle: true,
}

it('leaves floats with predictor 2 to GDAL', () => {
  for (const bits of [32, 64]) {
    assert.equal(canDecode({ ...image, bits, predictor: 2 }), false)
    assert.equal(canDecode({ ...image, bits, predictor: 3 }), true)
  }
  assert.equal(canDecode({ ...image, kind: 'int', predictor: 2 }), true)
})
