import type { Broadcast } from '../../db/broadcast.ts'
import type { ImportNews, NumberedNews } from '../model/model.ts'
import type { ProgressBoard } from './progress-board.ts'

const topic = 'news'
/** News of how far something is are told to others so often at most. */
const everyMs = 250

interface SharedNews extends NumberedNews {
  importId: number
}

/** What is the same as long as only numbers change. */
function stepOf(importId: number, news: ImportNews): string | undefined {
  if (news.type === 'fetch') return `${importId} fetch`
  return news.type === 'progress' ? `${importId} ${news.taskId} ${news.progress.phase}` : undefined
}

/** Lets clients watch an import at any process, whichever of them works on it. */
export function shareNews({ broadcast, progress }: { broadcast: Broadcast; progress: ProgressBoard }): void {
  let last = { step: '', atMs: 0 }
  progress.onTold((importId, numbered) => {
    const step = stepOf(importId, numbered.news)
    const atMs = performance.now()
    if (step !== undefined && step === last.step && atMs - last.atMs < everyMs) return
    last = { step: step ?? '', atMs }
    broadcast.tell(topic, { importId, ...numbered } satisfies SharedNews)
  })
  broadcast.listen(topic, (body) => {
    const { importId, ...numbered } = body as SharedNews
    progress.receive(importId, numbered)
  })
}
