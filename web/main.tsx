import './styles/all.css'
import { render } from 'preact'
import { loadAhead } from './app/load-ahead.ts'
import { beginPage } from './app/page-view.tsx'
import { Shell } from './app/shell.tsx'
import { followLinks } from './lib/router.ts'
import { findSession } from './session/session.ts'

followLinks(document.body)
loadAhead(document.body)
// Starts both before anything is drawn. If the server does not respond, the page reports it.
beginPage()
findSession().catch(() => undefined)
render(<Shell />, document.body)
