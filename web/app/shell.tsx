import { useEffect } from 'preact/hooks'
import { Icon, Mark } from '../components/icon.tsx'
import { Toasts } from '../components/toasts.tsx'
import { addressOf } from '../lib/base.ts'
import { path, query } from '../lib/router.ts'
import { messages } from '../messages/messages.ts'
import { raised, watchRaised } from '../session/raised.ts'
import { SeeAsBar } from '../session/see-as-bar.tsx'
import { session } from '../session/session.ts'
import { SessionExpired } from '../session/session-expired.tsx'
import { toggleLanguage, toggleTheme } from './appearance.ts'
import { findPage, isEnough, PageView } from './page-view.tsx'
import { pages } from './pages.ts'
import { PaletteButton } from './palette-button.tsx'

function Links({ isShort }: { isShort: boolean }) {
  const { nav } = messages.value
  const here = findPage(path.value)?.page
  return pages.flatMap((page) => {
    if (page.nav === undefined || (page.needs !== undefined && !isEnough(page.needs))) return []
    const isHere = page === here || here?.within === page.nav.name
    return [
      <a key={page.pattern} href={addressOf(page.pattern)} aria-current={isHere ? 'page' : undefined}>
        {isShort && <Icon name={page.nav.icon} />}
        {nav[page.nav.name]}
        {page.nav.name === 'alerts' && <RaisedAlerts />}
      </a>,
    ]
  })
}

function RaisedAlerts() {
  const count = raised.value ?? 0
  return count > 0 ? (
    <span class="n">
      <span class="vh">{messages.value.nav.raised}</span>
      {count}
    </span>
  ) : null
}

/** Sign-in returns to the current page. */
function signInAddress(): string {
  const here = path.value
  const search = query.value.size === 0 ? '' : `?${query.value}`
  const isPlain = here === '/app/sign-in' || (here === '/' && search === '')
  return addressOf(`/app/sign-in${isPlain ? '' : `?to=${encodeURIComponent(here + search)}`}`)
}

function Header() {
  const { shell, nav } = messages.value
  const user = session.value?.user
  return (
    <header class="top">
      <a class="brand" href={addressOf('/')}>
        <Mark />
        Terrane
      </a>
      <nav class="nav" aria-label={nav.main}>
        <Links isShort={false} />
      </nav>
      <div class="end">
        <PaletteButton />
        {user === undefined && (
          <button type="button" class="btn quiet" onClick={toggleLanguage}>
            {shell.language}
          </button>
        )}
        <button type="button" class="btn quiet ic" aria-label={shell.theme} onClick={toggleTheme}>
          <Icon name="sun" />
        </button>
        {user === undefined ? (
          <a class="btn quiet" href={signInAddress()}>
            <Icon name="user" />
            {shell.signIn}
          </a>
        ) : (
          <a
            class="btn quiet who"
            href={addressOf('/app/account')}
            aria-label={shell.account(user)}
            aria-current={path.value === '/app/account' ? 'page' : undefined}
          >
            <Icon name="user" />
            <span dir="auto">{user}</span>
          </a>
        )}
      </div>
    </header>
  )
}

/** A button: the document has a base, by which a link to a place in it would lead to the home page. */
function skipToMain(): void {
  document.getElementById('main')?.focus()
}

/** Frame of every page. */
export function Shell() {
  const { skip, nav } = messages.value
  const isBare = findPage(path.value)?.page.isBare === true
  const isWatched = session.value != null && !isBare
  useEffect(() => (isWatched ? watchRaised() : raised.set(0)), [isWatched])
  if (isBare)
    return (
      <main id="main" class="bare">
        <PageView />
      </main>
    )
  return (
    <>
      <button type="button" class="skip" onClick={skipToMain}>
        {skip}
      </button>
      <SeeAsBar />
      <Header />
      <main id="main" tabIndex={-1}>
        <PageView />
      </main>
      <nav class="tabs-bottom" aria-label={nav.short}>
        <Links isShort={true} />
      </nav>
      <SessionExpired />
      <Toasts />
    </>
  )
}
