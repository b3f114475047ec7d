import './styles/all.css'
import { render } from 'preact'
import { loadAhead } from './app/load-ahead.ts'
import { beginPage } from './app/page-view.tsx'
import { Shell } from './app/shell.tsx'
import { followLinks } from './lib/router.ts'
import { findSession } from './session/session.ts'

followLinks(document.body)
loadAhead(document.body)
// Both are on their way before anything is drawn. Where the server does not answer, the page says so itself.
beginPage()
findSession().catch(() => undefined)
render(<Shell />, document.body)
