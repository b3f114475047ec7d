import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/** What a child process sends to be told in the one that started it. */
export interface ProcessNews {
  type: 'news'
  subject: string
  news: unknown
}

type Pass = (message: ProcessNews) => void

const subjects = new Map<string, (news: unknown) => void>()
let passOn: Pass | undefined

/** In a child process: what is told here goes to the process that started it. */
export function passNewsOn(pass: Pass): void {
  passOn = pass
}

/** In the process that started a child: takes what the child tells. */
export function takeNews({ subject, news }: ProcessNews): void {
  subjects.get(subject)?.(news)
}

/** A thread of a process, or with `threadId` absent all of its threads. */
export interface Ended {
  pid: number
  threadId?: number
}

const endListeners = new Set<(ended: Ended) => void>()

/** Hears of threads and child processes that have ended, however they did: they tell nothing any more. */
export function hearEnds(hear: (ended: Ended) => void): void {
  endListeners.add(hear)
}

/** In the process that started a thread or child process. */
export function tellEnd(ended: Ended): void {
  for (const hear of endListeners) hear(ended)
}

/**
 * Gives a function that tells the main thread of the server something, from whichever of its threads and child processes;
 * there `take` hears it, and what was told before somebody listened is lost.
 */
export function openNews<News>(subject: string, take: (news: News) => void): (news: News) => void {
  if (!isMainThread) {
    let channel: BroadcastChannel | undefined
    return (news) => {
      channel ??= openChannel(subject)
      channel.postMessage(news)
    }
  }
  const hear = (news: News): void => {
    if (passOn === undefined) take(news)
    else passOn({ type: 'news', subject, news })
  }
  subjects.set(subject, (news) => hear(news as News))
  openChannel(subject).onmessage = (message) => hear((message as { data: News }).data)
  return hear
}

function openChannel(subject: string): BroadcastChannel {
  const channel = new BroadcastChannel(`terrane-${subject}`)
  channel.unref()
  return channel
}
