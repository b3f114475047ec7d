import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { Failure } from '../errors/errors.ts'
import { copyGuarded, findSettledPath, listGuarded, readGuarded, setGuard } from './guarded-files.ts'

/** A root with a file, a folder outside with another, and what is below the root as links. */
function folders(test: TestContext): { folder: string; root: string } {
  const folder = temporaryFolder(test)
  const root = join(folder, 'root')
  for (const [place, text] of [
    [join(root, 'inside/sub'), 'inside'],
    [join(folder, 'outside/sub'), 'outside'],
  ] as const) {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'a.txt'), text)
  }
  setGuard({ roots: [root], own: [join(folder, 'own')] })
  test.after(() => setGuard(undefined))
  return { folder, root }
}

const isRefused = (error: unknown): boolean => error instanceof Failure && error.code === 'path-outside-roots'

describe('a guarded file', () => {
  it('may be reached by links within the roots, and by none that leads out', async (test) => {
    const { folder, root } = folders(test)
    symlinkSync(join(root, 'inside'), join(root, 'in'))
    symlinkSync(join(folder, 'outside'), join(root, 'out'))
    assert.equal((await readGuarded(join(root, 'in/sub/a.txt'))).toString(), 'inside')
    await assert.rejects(readGuarded(join(root, 'out/sub/a.txt')), isRefused)
    await assert.rejects(Array.fromAsync(listGuarded(join(root, 'out/sub'))), isRefused)
    await assert.rejects(copyGuarded(join(root, 'out'), join(folder, 'copy')), isRefused)
    assert.throws(() => findSettledPath(join(root, 'out/sub/a.txt')), isRefused)
    mkdirSync(join(folder, 'own'))
    symlinkSync(join(folder, 'outside'), join(folder, 'own/out'))
    assert.equal((await readGuarded(join(folder, 'own/out/sub/a.txt'))).toString(), 'outside')
  })

  it('is the one that was looked at, whatever its name becomes meanwhile', async (test) => {
    const { folder, root } = folders(test)
    const link = join(root, 'sub')
    const script = join(import.meta.dirname, '../../../tests/support/swap-links.ts')
    const swapper = spawn(process.execPath, [script, folder, link], { stdio: ['ignore', 'pipe', 'ignore'] })
    test.after(() => swapper.kill('SIGKILL'))
    await once(swapper.stdout, 'data')
    const counts = { inside: 0, outside: 0, refused: 0 }
    const look = async (read: () => Promise<string>): Promise<void> => {
      const text = await read().catch(() => 'refused')
      counts[text as keyof typeof counts] += 1
    }
    for (let turn = 0; turn < 300 || counts.inside === 0; turn += 1) {
      await look(async () => (await readGuarded(join(link, 'a.txt'))).toString())
      await look(async () => {
        const copy = join(folder, `copy${turn}`)
        await copyGuarded(join(link, 'a.txt'), copy)
        return readFileSync(copy, 'utf8')
      })
      if (turn > 300) await sleep(1)
    }
    assert.equal(counts.outside, 0)
    assert.ok(counts.refused > 0)
  })

  it('is handed on by name only where nobody else can put another in its place', (test) => {
    const { root } = folders(test)
    const path = join(root, 'inside/sub/a.txt')
    assert.equal(findSettledPath(path), path)
    for (const [mode, settled] of [
      [0o770, undefined],
      [0o757, undefined],
      [0o1777, path],
    ] as const) {
      chmodSync(join(root, 'inside'), mode)
      assert.equal(findSettledPath(path), settled, mode.toString(8))
    }
  })
})
