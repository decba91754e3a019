// Package manual runs the pages of the manual: every command that they show is
// executed, in the order of the page, and what a page says that it prints is
// compared with what it printed.
//
// A page is Markdown. Fenced blocks marked sh are commands for one shell in
// one folder, in which bin/ holds both programs, and cmd/ and examples/ are the
// repository's; addresses are those of the defaults, which the test replaces. A comment before a block says more:
//
//	<!-- file: NAME -->          the block, of any kind, is written to a file
//	<!-- output -->              the block is the output of the commands before; a line ... stands for any lines, a … in a line for any text
//	<!-- terminal -->            the commands stay running in a terminal of their own, until a stop or the page's end
//	<!-- stop -->                (without a block) Ctrl-C in the newest of these terminals
//	<!-- until: COMMAND -->      (without a block) the page goes on when COMMAND succeeds
//	<!-- fails: CODE -->         the commands end with this exit code
//	<!-- elsewhere: NAME -->     the commands are executed by a test of this name, or by this step of .ci/run
package manual
