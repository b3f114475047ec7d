import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImportNews } from '../model/news.ts'
import { ProgressBoard } from './progress-board.ts'
import { shareNews } from './share-progress.ts'

const news = (rows: number): ImportNews => ({
  type: 'progress',
  taskId: 0,
  progress: { phase: 'loading', progress: rows, total: 10, rejected: 0 },
})

describe('the news of an import', () => {
  it('go on after the one that was heard last, whichever process numbered it', () => {
    const board = new ProgressBoard(1000)
    board.tell(0, news(1))
    board.receive(0, { id: 7, news: news(2) })
    board.tell(0, news(3))
    const rowsSince = (id: number) =>
      board.newsSince(0, id).map((one) => one.news.type === 'progress' && one.news.progress.progress)
    assert.deepEqual(rowsSince(1000), [2, 3])
    assert.deepEqual(rowsSince(7), [3])
    assert.deepEqual(rowsSince(1001), [])
    assert.deepEqual(rowsSince(999), [1, 3])
    assert.equal(board.progressOf(0, 0)?.progress, 3)
  })

  it('are shared by two processes, numbers a few times a second, and never told back', () => {
    const hears = new Map<string, (body: unknown) => void>()
    const reported: unknown[] = []
    const progress = new ProgressBoard(0)
    shareNews({
      progress,
      broadcast: {
        tellOnCommit: () => undefined,
        onReconnect: () => undefined,
        tell: (_topic, body) => void reported.push(JSON.parse(JSON.stringify(body))),
        listen: (topic, listener) => void hears.set(topic, listener),
        close: () => Promise.resolve(),
      },
    })
    for (let rows = 0; rows < 100; rows += 1) progress.tell(0, news(rows))
    progress.tell(0, { type: 'import', state: 'COMPLETE' })
    assert.deepEqual(reported, [
      { importId: 0, id: 0, news: news(0) },
      { importId: 0, id: 100, news: { type: 'import', state: 'COMPLETE' } },
    ])
    hears.get('news')?.({ importId: 3, id: 5, news: news(8) })
    assert.equal(progress.progressOf(3, 0)?.progress, 8)
    assert.equal(reported.length, 2)
  })
})
