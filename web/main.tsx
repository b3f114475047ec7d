import './styles/all.css'
import { render } from 'preact'
import { Shell } from './app/shell.tsx'
import { followLinks } from './lib/router.ts'
import { findSession } from './session/session.ts'

followLinks(document.body)
render(<Shell />, document.body)
// Where the server does not answer, the page says so itself.
findSession().catch(() => undefined)
