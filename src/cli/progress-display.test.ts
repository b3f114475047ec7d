import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { barText, ProgressDisplay } from './progress-display.ts'

function recorder(isTTY: boolean): {
  isTTY: boolean
  columns: number
  text: string
  write(text: string): void
} {
  return {
    isTTY,
    columns: 60,
    text: '',
    write(text) {
      this.text += text
    },
  }
}

const half = { label: 'roads', done: 50, total: 100, unit: 'rows' } as const

describe('ProgressDisplay', () => {
  it('draws a bar again in its place on a terminal and leaves the finished line', () => {
    const stream = recorder(true)
    const display = new ProgressDisplay(stream)
    display.update('a', half)
    display.update('a', { ...half, done: 75 })
    display.finish('a', 'roads done')
    const drawn = stream.text.split('\u001b[1A\r\u001b[J')
    assert.deepEqual(drawn.length, 3)
    assert.match(drawn[0] ?? '', / 50 % /)
    assert.match(drawn[1] ?? '', / 75 % /)
    assert.equal(drawn[2], 'roads done\n')
  })

  it('prints no bar where the output is not a terminal', () => {
    const stream = recorder(false)
    const display = new ProgressDisplay(stream)
    display.update('a', half)
    display.finish('a', 'roads done')
    assert.equal(stream.text, 'roads done\n')
  })

  it('never draws a line wider than the terminal', () => {
    const stream = recorder(true)
    new ProgressDisplay(stream).update('a', { ...half, label: 'x'.repeat(200) })
    assert.ok((stream.text.split('\n')[0] ?? '').length < 60 + 10)
  })
})

describe('barText', () => {
  it('shows rows without a bar where the total is not known', () => {
    assert.equal(
      barText({ label: 'a', done: 1234, total: -1, unit: 'rows' }),
      `${'a'.padEnd(20)}  1,234 rows`,
    )
  })
})
