import type { Broadcast } from '../../core/db/broadcast.ts'
import type { ImportNews, NumberedNews } from '../model/model.ts'
import type { ProgressBoard } from './progress-board.ts'

const topic = 'news'
/** Minimum interval between progress events sent to other processes, in milliseconds. */
const everyMs = 250

interface SharedNews extends NumberedNews {
  importId: number
}

/** Returns a key that stays equal while only numbers change. */
function stepOf(importId: number, news: ImportNews): string | undefined {
  if (news.type === 'fetch') return `${importId} fetch`
  return news.type === 'progress' ? `${importId} ${news.taskId} ${news.progress.phase}` : undefined
}

/** Lets clients follow an import at any process, whichever of them runs it. */
export function shareNews({ broadcast, progress }: { broadcast: Broadcast; progress: ProgressBoard }): void {
  let last = { step: '', atMs: 0 }
  progress.onReport((importId, numbered) => {
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
