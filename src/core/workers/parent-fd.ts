/**
 * File descriptor in a child process: the read end of a pipe that the parent holds open as long as it lives.
 */
export const parentFd = 4
