import { CacheFolder } from '../../src/render/cache/cache-folder.ts'
import { madeUpTile } from './made-up-tiles.ts'

const [, , root = ''] = process.argv
const folder = new CacheFolder({ root, onProblem: () => undefined })
process.stdout.write('begun\n')
for (let round = 0; ; round += 1) {
  const made = Array.from({ length: 20 }, (_, at) => madeUpTile((round * 20 + at) % 4000))
  const { tile: _, ...family } = madeUpTile(0).key
  const tiles = made.map(({ key, tile }) => ({ address: key.tile, tile }))
  folder.keep([{ family, metadata: {}, tiles }])
}
