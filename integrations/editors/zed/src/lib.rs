// Zed knows a language server only through an extension: this one starts the program that is on PATH.
use zed_extension_api::{self as zed, LanguageServerId, Result};

struct Shardlint;

impl zed::Extension for Shardlint {
    fn new() -> Self {
        Shardlint
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &zed::Worktree) -> Result<zed::Command> {
        let command = worktree.which("shardlint").ok_or("shardlint is not on PATH")?;
        Ok(zed::Command { command, args: vec!["lsp".to_string()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Shardlint);
