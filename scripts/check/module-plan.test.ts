import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { drawModules } from './draw-modules.ts'
import { planOf } from './module-plan.ts'

const file = (path: string, ...imports: string[]) => ({ path, imports })
const files = [
  file('src/main.ts', 'src/app/deep/a.ts', 'src/lib/a.ts', 'package.json'),
  file('src/app/deep/a.ts', 'src/app/model/m.ts', 'src/geo/a.ts'),
  file('src/app/model/m.ts'),
  file('src/geo/a.ts', 'src/lib/a.ts', 'src/geo/b.ts'),
  file('src/geo/a.test.ts', 'src/main.ts'),
  file('src/side/a.ts', 'src/lib/a.ts'),
  file('src/lib/a.ts'),
]
const moduleRules = {
  modules: { src: ['lib', ['geo', 'side'], 'app', 'main.ts'], 'src/app': ['model', 'deep'] },
  entryPoints: {},
  forbidden: {},
  unordered: [],
  withoutIndex: [],
}

describe('planOf', () => {
  it('tells what each folder needs directly, its modules in their order, and how high it stands', () => {
    assert.deepEqual(planOf(files, moduleRules), [
      { name: 'lib', modules: [], needs: [], level: 0 },
      { name: 'geo', modules: [], needs: ['lib'], level: 1 },
      { name: 'side', modules: [], needs: ['lib'], level: 3 },
      { name: 'app', modules: ['model', 'deep'], needs: ['geo'], level: 2 },
      { name: 'main.ts', modules: [], needs: ['app'], level: 3 },
    ])
  })
})

describe('drawModules', () => {
  it('draws every folder with its modules, and an arrow for each need', () => {
    const drawn = drawModules(planOf(files, moduleRules))
    for (const name of ['lib', 'geo', 'side', 'app', 'main.ts'])
      assert.ok(drawn.includes(`>${name}</text>`), name)
    assert.ok(drawn.includes('>model · deep</text>'))
    assert.equal(drawn.match(/class="head"/g)?.length, 4)
    assert.equal(drawn, drawModules(planOf(files.toReversed(), moduleRules)))
  })
})
