import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { GuardRecord } from '../../../bench/guard.ts'
import { findLosses } from '../../../bench/guard.ts'

const root = join(import.meta.dirname, '..', '..', '..')

function runGuard(...words: string[]) {
  const program = join(root, 'bench', 'bench.ts')
  return spawnSync(process.execPath, [program, '--guard', ...words], { cwd: root, encoding: 'utf8' })
}

describe('guard of the benchmark', () => {
  it('finds ratios below half of the recorded ones', () => {
    const losses = findLosses({ loads: 2, tiles: 1, gone: 5 }, { loads: 0.99, tiles: 0.5, added: 0.1 })
    assert.deepEqual(losses, ['loads: 0.990 is below half of the recorded 2.00'])
  })

  it('does not run above the allowed load average', () => {
    const { status, stdout } = runGuard('--allowed-load=-1')
    assert.equal(status, 0)
    assert.match(stdout, /^The guard did not run: the load average is [\d.]+, at most -1 is allowed\.\n$/)
  })

  it('finds no ratio below half of the recorded one, or reports that the machine is busy', (test) => {
    const { status, stdout, stderr } = runGuard()
    test.diagnostic(stdout)
    assert.equal(status, 0, stderr)
    if (stdout.startsWith('The guard did not run')) return
    const file = readFileSync(join(root, 'bench', 'guard.json'), 'utf8')
    const { ratios } = JSON.parse(file) as GuardRecord
    for (const name of Object.keys(ratios)) assert.ok(stdout.includes(`| ${name} |`), name)
  })
})
