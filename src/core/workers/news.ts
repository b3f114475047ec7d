import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/** A message from a child process to its parent process. */
export interface ProcessNews {
  type: 'news'
  subject: string
  news: unknown
}

type Pass = (message: ProcessNews) => void

const subjects = new Map<string, (news: unknown) => void>()
let passOn: Pass | undefined

/** Sets how a child process forwards messages to its parent process. */
export function passNewsOn(pass: Pass): void {
  passOn = pass
}

/** Delivers a message of a child process, in the parent process. */
export function takeNews({ subject, news }: ProcessNews): void {
  subjects.get(subject)?.(news)
}

/** A thread of a process, or with `threadId` absent all of its threads. */
export interface Ended {
  pid: number
  threadId?: number
}

const endListeners = new Set<(ended: Ended) => void>()

/**
 * Registers a listener for ended threads and child processes, however they ended; they send no further
 * messages.
 */
export function hearEnds(hear: (ended: Ended) => void): void {
  endListeners.add(hear)
}

/** Announces the end of a thread or child process, in the process that started it. */
export function tellEnd(ended: Ended): void {
  for (const hear of endListeners) hear(ended)
}

/**
 * Returns a function that sends a message to the server's main thread from any of its threads and child
 * processes; the main thread calls `take`. Messages sent before a listener exists are lost.
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
