import type { ComponentChildren } from 'preact'
import { NoAnswer } from '../api/client.ts'
import { messages } from '../messages/messages.ts'
import { Icon } from './icon.tsx'

/** The server's own words about what failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoAnswer) return messages.value.state.offline
  return error instanceof Error ? error.message : String(error)
}

/** In the place of what could not be loaded. */
export function Failed({ error, onAgain }: { error: unknown; onAgain(): void }) {
  const { state } = messages.value
  return (
    <div class="note bad" role="alert">
      <Icon name="bad" />
      <div>
        <b>{state.failed}</b> <span dir="auto">{reasonOf(error)}</span>{' '}
        <button type="button" class="btn sm" onClick={onAgain}>
          {state.again}
        </button>
      </div>
    </div>
  )
}

/** In the place of what is on its way. */
export function Loading() {
  return (
    <div class="state ld" role="status">
      <span class="vh">{messages.value.state.loading}</span>
      <div class="skel" />
      <div class="skel" />
      <div class="skel" />
    </div>
  )
}

interface EmptyProps {
  title: string
  children: ComponentChildren
}

/** Placeholder for missing content, with the first action. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Error of an action, next to it; nothing without an error. */
export function Refused({ error }: { error: unknown }) {
  if (error === undefined) return null
  return (
    <p class="err" role="alert">
      <Icon name="bad" />
      <span dir="auto">{reasonOf(error)}</span>
    </p>
  )
}
