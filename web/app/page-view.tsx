import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { addressOf } from '../lib/base.ts'
import { goTo, matchPath, path } from '../lib/router.ts'
import { loadPageSheet, showPageSheets } from '../lib/sheets.ts'
import { messages } from '../messages/messages.ts'
import { session } from '../session/session.ts'
import { type Page, pages } from './pages.ts'

/** The page that an address names, and what its pattern found there. */
export function findPage(at: string): { page: Page; found: Record<string, string> } | undefined {
  for (const page of pages) {
    const found = matchPath(page.pattern, at)
    if (found !== undefined) return { page, found }
  }
  return undefined
}

/** Those whose code and sheets are here. */
const loaded = new Map<Page, ComponentType<Record<string, string>>>()
/** Incremented when a loaded page is ready. */
const arrivals = signal(0)
const failed = signal<{ page: Page; error: unknown } | undefined>(undefined)

async function load(page: Page): Promise<void> {
  failed.value = undefined
  try {
    await fetchPage(page)
    arrivals.value += 1
  } catch (error) {
    failed.value = { page, error }
  }
}

/** Loads the code and style sheets of a page, once. */
async function fetchPage(page: Page): Promise<void> {
  const [component] = await Promise.all([page.load(), ...(page.sheets ?? []).map(loadPageSheet)])
  loaded.set(page, component)
}

/** Starts loading the page of the current address, before anything is drawn. */
export function beginPage(): void {
  const page = findPage(path.peek())?.page
  if (page !== undefined) void load(page)
}

/** Preloads a page; resolves when it is loaded, or has failed. */
export async function loadPageAhead(at: string): Promise<void> {
  const page = findPage(at)?.page
  if (page === undefined || loaded.has(page)) return
  // The error is shown when the reader opens the page.
  await fetchPage(page).catch(() => undefined)
}

/** The page of the present address. */
export function PageView() {
  const requested = findPage(path.value)
  const page = requested?.page
  const isAllowed = page?.needs === undefined || isEnough(page.needs)
  useLayoutEffect(() => {
    if (page !== undefined && !loaded.has(page)) void load(page)
  }, [page])
  arrivals.value
  useEffect(() => {
    if (!isAllowed && session.value === null)
      goTo(`/app/sign-in?to=${encodeURIComponent(path.peek())}`, { isReplaced: true })
  }, [isAllowed, session.value])
  const title = titleOf(page)
  useEffect(() => {
    document.title = `${title} · Terrane`
  }, [title])
  if (requested === undefined || page === undefined || (!isAllowed && session.value !== undefined))
    return <NoPage />
  if (failed.value?.page === page)
    return <Failed error={failed.value.error} onAgain={() => void load(page)} />
  const Component = loaded.get(page)
  if (Component === undefined || !isAllowed) return <Loading />
  // At once with what it draws: nothing is painted between.
  showPageSheets([...(page.sheets ?? []), ...(page.laterSheets ?? [])])
  return <Component key={path.value} {...requested.found} />
}

/** Returns the title of a page. */
export function titleOf(page: Page | undefined): string {
  const { shell, nav } = messages.value
  if (page === undefined) return shell.noPage
  const place = page.nav?.name ?? page.within ?? 'catalogue'
  return page.title?.(messages.value) ?? nav[place]
}

/** True if the current user has this role. */
export function isEnough(needed: 'user' | 'staff' | 'admin'): boolean {
  const order = ['user', 'staff', 'admin']
  const role = session.value?.role
  return role !== undefined && order.indexOf(role) >= order.indexOf(needed)
}

function NoPage() {
  const { shell } = messages.value
  return (
    <Empty title={shell.noPage}>
      <a class="btn" href={addressOf('/')}>
        {shell.home}
      </a>
    </Empty>
  )
}
